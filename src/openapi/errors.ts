import { isDeepStrictEqual } from 'node:util';

import type { OpenAPIObject } from '@nestjs/swagger';

import type { ErrorBody } from '../http/errors/error.dto.js';
import { codeOf } from '../http/errors/error-response.js';
import { type Operation, operationsByPath, type Response } from './operations.js';

/** The statuses of errors outside of operations, and of an unexpected error, which no operation documents. */
const COMMON_STATUSES = [404, 405, 408, 414, 431, 500];

/** Adds the known error codes to the schema of an error, in a form in which generated clients accept others. */
export function addKnownCodes(document: OpenAPIObject): void {
  const schema = document.components?.schemas?.['Error'];
  const { code } = schema && 'properties' in schema ? (schema.properties ?? {}) : {};
  const codes = new Set([...errorsOf(document).map((error) => error.code), ...COMMON_STATUSES.map(codeOf)]);
  if (code) Object.assign(code, { 'x-extensible-enum': [...codes].sort() });
}

/** Returns an example of each error code that the operations of a document name, with its status and message. */
export function errorsOf({ paths, components }: OpenAPIObject): ErrorBody[] {
  const own = operationsByPath(paths).flatMap(({ operation }) => Object.values(operation.responses));
  const examples = [...Object.values(components?.responses ?? {}), ...own].flatMap((response) => {
    const media = response && 'content' in response ? response.content['application/json'] : undefined;
    return Object.values(media?.examples ?? {}).flatMap((example) =>
      'value' in example ? [example.value as ErrorBody] : [],
    );
  });
  return [...new Map(examples.map((example) => [example.code, example])).values()];
}

/** An error response, and the operations that have it. */
interface ErrorOfOperations {
  readonly status: string;
  readonly response: Response;
  readonly operations: Operation[];
}

/**
 * Moves each error response that is the same in several operations to the components, where the operations refer to it.
 * Its name is that of the status, such as `RateLimited`.
 */
export function shareErrors(document: OpenAPIObject): void {
  const shared = { ...document.components?.responses };
  for (const { status, response, operations } of findErrors(document)) {
    if (operations.length < 2) continue;
    const name = unusedName(toPascalCase(codeOf(Number(status))), shared);
    shared[name] = response;
    for (const { responses } of operations) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  document.components = { ...document.components, responses: shared };
}

function findErrors({ paths }: OpenAPIObject): ErrorOfOperations[] {
  const errors: ErrorOfOperations[] = [];
  for (const { operation } of operationsByPath(paths)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status < '400' || !response || '$ref' in response) continue;
      const known = errors.find(
        (error) => error.status === status && isDeepStrictEqual(error.response, response),
      );
      if (known) known.operations.push(operation);
      else errors.push({ status, response, operations: [operation] });
    }
  }
  return errors;
}

/** Two different responses can have the same status. */
function unusedName(name: string, shared: object): string {
  let unused = name;
  for (let count = 2; unused in shared; count++) unused = `${name}${count}`;
  return unused;
}

const toPascalCase = (code: string) =>
  code.replace(/(?:^|_)(\w)/g, (_start, letter: string) => letter.toUpperCase());
