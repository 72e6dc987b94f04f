import type { OpenAPIObject } from '@nestjs/swagger';

import type { ErrorBody } from '../http/errors/error.dto.js';
import { codeOf } from '../http/errors/error-response.js';
import { operationsByPath } from './operations.js';

/** The statuses of errors outside of operations, and of an unexpected error, which no operation documents. */
const COMMON_STATUSES = [404, 405, 408, 414, 431, 500];

/** Adds the known error codes to the schema of an error, in a form in which generated clients accept others. */
export function addKnownCodes({ paths, components }: OpenAPIObject): void {
  const schema = components?.schemas?.['Error'];
  const { code } = schema && 'properties' in schema ? (schema.properties ?? {}) : {};
  const codes = operationsByPath(paths)
    .flatMap(({ operation }) => Object.values(operation.responses))
    .flatMap((response) => (response && 'content' in response ? Object.values(response.content ?? {}) : []))
    .flatMap(({ examples }) => Object.values(examples ?? {}))
    .flatMap((example) => ('value' in example ? (example.value as ErrorBody).code : []));
  const known = new Set([...codes, ...COMMON_STATUSES.map(codeOf)]);
  if (code) Object.assign(code, { 'x-extensible-enum': [...known].sort() });
}
