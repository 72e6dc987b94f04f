import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

import type { ServiceErrorCode } from '../domain/error-codes.js';
import type { ErrorBody } from '../http/errors/error.dto.js';
import { OWN_ERRORS, type OwnError } from './decorators/api-errors.decorator.js';
import type { Response } from './complete-document.js';
import { type Operation, operationsOf } from './operations.js';
import { describeCode, linkToCode } from './pages/errors-page.js';

/**
 * Adds the errors with additional codes to the scanned operations.
 *
 * @returns an example of each additional code that an operation documents
 * @throws Error when an operation documents a code that the composition does not declare
 */
export function documentOwnErrors(
  { paths }: OpenAPIObject,
  statuses: ReadonlyMap<string, number>,
): ErrorBody[] {
  const examples = new Map<string, ErrorBody>();
  for (const operation of operationsOf(paths)) {
    for (const { code, message } of takeOwnErrors(operation)) {
      const status = statuses.get(code);
      if (status === undefined) {
        throw new Error(
          `${String(operation.operationId)} documents ${code}, which composition.errorCodes lacks.`,
        );
      }
      const example = { code, message, status };
      examples.set(code, example);
      addExample(operation, example);
    }
  }
  return [...examples.values()];
}

function takeOwnErrors(operation: Operation & { [OWN_ERRORS]?: OwnError[] }): OwnError[] {
  const { [OWN_ERRORS]: errors = [] } = operation;
  Reflect.deleteProperty(operation, OWN_ERRORS);
  return errors;
}

/** Adds an error to an operation, which may have another error with the same status. */
function addExample({ responses }: Operation, example: ErrorBody): void {
  const other = responses[String(example.status)] as Response | undefined;
  const media = other?.content?.['application/json'];
  const otherExample = media?.example as ErrorBody | undefined;
  const schema = { $ref: getSchemaPath('Error') };
  const description = `${example.message} See ${linkToCode(example.code)}.`.trimStart();
  responses[String(example.status)] = otherExample
    ? {
        ...other,
        description: `${describeCode(otherExample.code as ServiceErrorCode)} ${description}`,
        content: {
          'application/json': {
            schema,
            examples: Object.fromEntries([otherExample, example].map((value) => [value.code, { value }])),
          },
        },
      }
    : { description, content: { 'application/json': { schema, example } } };
}

/** Adds error codes to those that the schema of an error lists. */
export function addKnownCodes({ components }: OpenAPIObject, codes: readonly string[]): void {
  const schema = components?.schemas?.['Error'];
  const { code } = schema && 'properties' in schema ? (schema.properties ?? {}) : {};
  if (code && 'x-extensible-enum' in code) {
    code['x-extensible-enum'] = [...(code['x-extensible-enum'] as string[]), ...codes];
  }
}
