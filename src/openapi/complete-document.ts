import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

import type { ErrorBody } from '../http/errors/error.dto.js';
import { codeOf } from '../http/errors/error-response.js';
import { INT64_MAX, INT64_MIN } from '../limits.js';
import { LIST_SCHEMA, type ListSchema } from './decorators/api-responses.decorator.js';
import { DEPRECATION_HEADERS } from './decorators/deprecated.decorator.js';
import { type Examples, knownHeaders, QUOTA } from './decorators/header.js';
import { exampleOf, type Schema, type Schemas } from './example-of.js';
import { type Operation, operationsByPath, type Response } from './operations.js';

/** Adds names for schemas of lists, an example for every body, common headers, bounds of int64, and the error codes. */
export function completeDocument(document: OpenAPIObject): void {
  const schemas: Schemas = document.components?.schemas ?? {};
  document.components = { ...document.components, schemas };
  for (const { operation } of operationsByPath(document.paths)) {
    const { [DEPRECATION_HEADERS]: deprecation } = operation as Operation & {
      [DEPRECATION_HEADERS]?: Examples;
    };
    if (deprecation) Object.assign(operation, { deprecated: true, [DEPRECATION_HEADERS]: undefined });
    for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
      completeResponse(Number(status), response, schemas, deprecation);
    }
    completeRequest(operation, schemas);
    // `@Public()` declares that no key is needed, and a team another credential.
    const { security = [] } = operation;
    if (security.length > 1) operation.security = security.filter(isRequirement);
  }
  // The receiver of a webhook responds to it, not this service.
  for (const { operation } of operationsByPath(document.webhooks ?? {})) completeRequest(operation, schemas);
  Object.values(schemas).forEach(toOpenApi31);
  addKnownCodes(document);
}

const isRequirement = (requirement: object) => Object.keys(requirement).length > 0;

const BEFORE_HANDLER = [400, 401, 413, 415, 429];

function completeResponse(
  status: number,
  response: Response,
  schemas: Schemas,
  deprecation: Examples = {},
): void {
  response.headers = {
    ...knownHeaders({ 'X-Request-Id': 'a1b2c3' }, true),
    // A wrong key is found before the limits are checked.
    ...(status !== 401 && knownHeaders(QUOTA, false)),
    ...response.headers,
    // Other errors can also occur before the handler, which sets these headers.
    ...(!BEFORE_HANDLER.includes(status) && knownHeaders(deprecation, status < 400)),
  };
  const { [LIST_SCHEMA]: list } = response as Response & { [LIST_SCHEMA]?: ListSchema };
  Object.assign(response, { [LIST_SCHEMA]: undefined });
  const media = response.content?.['application/json'];
  if (!media) return;
  media.schema = list ? toNamedList(media.schema, list, schemas) : (media.schema ?? {});
  if (!media.examples) media.example ??= exampleOf(media.schema, schemas);
}

/** Moves the schema of `ApiListResponse` or `ApiPageResponse` to the named schemas, and returns a reference to it. */
function toNamedList(schema: Schema = {}, { name, ...rest }: ListSchema, schemas: Schemas): Schema {
  // A response of a team that is no list has replaced it.
  if (!('items' in schema)) return schema;
  schemas[name] = { ...schema, ...rest };
  return { $ref: getSchemaPath(name) };
}

function completeRequest({ requestBody, parameters = [] }: Operation, schemas: Schemas): void {
  const media = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  if (media?.schema && !media.examples) media.example ??= exampleOf(media.schema, schemas);
  for (const parameter of parameters) {
    if (!('schema' in parameter)) continue;
    const { schema } = parameter;
    if (parameter.in === 'path') parameter.example ??= exampleOf(schema, schemas);
    if ('$ref' in schema) continue;
    const [reference] = schema.allOf ?? [];
    // The explorer would fill in the example of a filter.
    delete schema.example;
    parameter.schema = reference ?? withBounds(schema);
  }
}

/** Adds the exact bounds of int64, which JSON.stringify rejects in the metadata of decorators. */
function withBounds(schema: Schema): Schema {
  const isInt64 = 'format' in schema && schema.format === 'int64' && schema.type !== 'string';
  return isInt64 ? { ...({ minimum: INT64_MIN, maximum: INT64_MAX } as object), ...schema } : schema;
}

/** Adds the bounds of int64 to a schema and its properties, and converts `example` to OpenAPI 3.1. */
function toOpenApi31(schema: Schema): void {
  if ('$ref' in schema) return;
  Object.assign(schema, withBounds(schema));
  if (schema.example !== undefined) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  Object.values(schema.properties ?? {}).forEach(toOpenApi31);
}

/** The statuses of errors outside of operations, and of an unexpected error, which no operation documents. */
const COMMON_STATUSES = [404, 405, 408, 414, 431, 500];

/** Adds the known error codes to the schema of an error, in a form in which generated clients accept others. */
function addKnownCodes({ paths, components }: OpenAPIObject): void {
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
