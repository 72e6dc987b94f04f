import { isDeepStrictEqual } from 'node:util';

import type { OpenAPIObject } from '@nestjs/swagger';

import type { ErrorBody } from '../http/errors/error.dto.js';
import { codeOf } from '../http/errors/error-response.js';
import { operationsByPath } from './operations.js';

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

/**
 * Moves each error response that is the same in all operations with its status to the components, where the operations
 * refer to it by the name of the status, such as `RateLimited`. Other responses stay where they are: a name would change its
 * meaning with the order of the operations.
 */
export function shareErrors({ paths, components = {} }: OpenAPIObject): void {
  const shared = (components.responses ??= {});
  const operations = operationsByPath(paths).map(({ operation }) => operation);
  const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
  for (const status of statuses) {
    const name = toPascalCase(codeOf(Number(status)));
    // The errors of deprecated operations have further headers.
    const [first, ...others] = operations.flatMap(({ deprecated, responses }) =>
      deprecated ? [] : (responses[status] ?? []),
    );
    const isEqual = (response: unknown) => isDeepStrictEqual(response, first);
    if (status < '400' || name in shared || !first || others.length === 0 || !others.every(isEqual)) continue;
    shared[name] = first;
    for (const { responses } of operations) {
      if (isEqual(responses[status])) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
}

const toPascalCase = (code: string) =>
  code.replace(/(?:^|_)(\w)/g, (_start, letter: string) => letter.toUpperCase());
