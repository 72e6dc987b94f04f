import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

import type { ErrorBody } from '../http/errors/error.dto.js';
import { OWN_ERRORS, type OwnError } from './decorators/api-errors.decorator.js';
import { type Operation, operationsOf, type Response } from './operations.js';
import { describeStatus, exampleOfStatus, linkToCode } from './pages/errors-page.js';

type Examples = NonNullable<NonNullable<Response['content']>[string]['examples']>;

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

/** Adds an error to an operation, which may have other errors with the same status. */
function addExample({ responses }: Operation, example: ErrorBody): void {
  const status = String(example.status);
  const schema = { $ref: getSchemaPath('Error') };
  const description = `${example.message} See ${linkToCode(example.code)}.`.trimStart();
  const other = responses[status] as Response | undefined;
  const others = other && examplesOf(other, example.status);
  responses[status] = others
    ? {
        ...other,
        description: [other.description || describeStatus(example.status), description].join(' ').trimStart(),
        content: {
          'application/json': { schema, examples: { ...others, [example.code]: { value: example } } },
        },
      }
    : { description, content: { 'application/json': { schema, example } } };
}

function examplesOf({ content }: Response, status: number): Examples | undefined {
  const media = content?.['application/json'];
  const example = (media?.example as ErrorBody | undefined) ?? exampleOfStatus(status);
  return media?.examples ?? (example && { [example.code]: { value: example } });
}

/** Adds error codes to those that the schema of an error lists. */
export function addKnownCodes({ components }: OpenAPIObject, codes: readonly string[]): void {
  const schema = components?.schemas?.['Error'];
  const { code } = schema && 'properties' in schema ? (schema.properties ?? {}) : {};
  if (code && 'x-extensible-enum' in code) {
    code['x-extensible-enum'] = [...(code['x-extensible-enum'] as string[]), ...codes];
  }
}
