import type { OpenAPIObject } from '@nestjs/swagger';

import { INT64_MAX, INT64_MIN } from '../http/validation/int64.js';
import { describeStatus, exampleOfStatus } from './pages/errors-page.js';
import { NAMED_SCHEMA, type NamedSchema } from './decorators/api-responses.decorator.js';
import { DEPRECATION_HEADERS } from './decorators/deprecated.decorator.js';
import { exampleOf, isErrorSchema, type Reference, type Schema } from './example-of.js';
import { extensionsOfOtherTools, type OperationExtensions } from './decorators/extensions.js';
import { quotaHeaders, requiredHeader, SECONDS_TO_WAIT } from './decorators/header.js';
import { type Operation, operationsOf, type Response } from './operations.js';

type Headers = NonNullable<Response['headers']>;

/** The exact bounds of int64. JSON.stringify rejects them, so they are not in the metadata of decorators. */
const INT64_BOUNDS: object = { minimum: INT64_MIN, maximum: INT64_MAX };

/**
 * Completes a scanned document: names for schemas of lists, an example for every body, descriptions of errors, common
 * headers, bounds of int64, and extensions for other tools.
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, Schema> = (document.components ??= {}).schemas ?? {};
  document.components.schemas = schemas;
  for (const operation of operationsOf(document.paths)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      completeResponse(Number(status), response as Response, schemas);
    }
    completeRequest(operation, schemas);
    if (DEPRECATION_HEADERS in operation) deprecate(operation, operation[DEPRECATION_HEADERS] as Headers);
    Object.assign(operation, extensionsOfOtherTools(operation as OperationExtensions));
  }
  // The receiver of a webhook responds to it, not this service.
  for (const webhook of operationsOf(document.webhooks ?? {})) completeRequest(webhook, schemas);
  Object.values(schemas).forEach(toOpenApi31);
  return document;
}

const REQUEST_ID = requiredHeader(
  'The id of the request, which the logs contain. It equals the `X-Request-Id` of the request if that has 1 to 128 ' +
    'letters, digits or characters of `_ . : = + / -`. Otherwise, the service generates it.',
  'a1b2c3',
);
const CHALLENGE = requiredHeader('The challenge (RFC 6750).', 'Bearer realm="petstore"');

/** Errors that occur before the limits are checked. */
const UNLIMITED = [401, 501, 505];

/** Errors that occur before the handler. */
const BEFORE_HANDLER = [...UNLIMITED, 400, 413, 429];

/** The headers of all responses with a status. */
function commonHeaders(status: number): Headers {
  return {
    'X-Request-Id': REQUEST_ID,
    ...(!UNLIMITED.includes(status) && quotaHeaders(status === 429)),
    ...(status === 401 && { 'WWW-Authenticate': CHALLENGE }),
    ...(status === 429 && { 'Retry-After': requiredHeader(SECONDS_TO_WAIT, 42) }),
    ...(status === 503 && { 'Retry-After': requiredHeader(SECONDS_TO_WAIT, 1) }),
  };
}

function completeResponse(status: number, response: Response, schemas: Record<string, Schema>): void {
  response.headers = { ...commonHeaders(status), ...response.headers };
  const media = response.content?.['application/json'];
  if (!media) return;
  media.schema = named(media.schema, schemas);
  if (media.examples) return;
  if (status < 400 || !isErrorSchema(media.schema)) {
    media.example ??= exampleOf(media.schema, schemas);
    return;
  }
  const example = exampleOfStatus(status);
  if (!example) return;
  response.description ||= describeStatus(status);
  media.example ??= example;
}

/** Marks an operation as deprecated, and declares the headers of its deprecation. */
function deprecate(operation: Operation, headers: Headers): void {
  operation.deprecated = true;
  Reflect.deleteProperty(operation, DEPRECATION_HEADERS);
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
    if (BEFORE_HANDLER.includes(Number(status))) continue;
    // Some errors with the other statuses also occur before the handler, such as an invalid path.
    const required = Number(status) < 400;
    const declared = Object.entries(headers).map(
      ([name, header]) => [name, { ...header, required }] as const,
    );
    const { headers: others, ...rest } = response;
    operation.responses[status] = { headers: { ...others, ...Object.fromEntries(declared) }, ...rest };
  }
}

function completeRequest(operation: Operation, schemas: Record<string, Schema>): void {
  const body = operation.requestBody;
  const media = body && 'content' in body ? body.content['application/json'] : undefined;
  if (media?.schema && !media.examples) media.example ??= exampleOf(media.schema, schemas);
  for (const parameter of operation.parameters ?? []) {
    if ('schema' in parameter && 'allOf' in parameter.schema)
      parameter.schema = withoutExample(parameter.schema);
    if ('schema' in parameter && isInt64(parameter.schema)) {
      const { example, ...schema } = parameter.schema as { example?: unknown };
      parameter.schema = { ...INT64_BOUNDS, ...schema };
      if (example !== undefined) parameter.example = example;
    }
  }
}

function isInt64(schema: Schema): boolean {
  return 'format' in schema && schema.format === 'int64' && schema.type !== 'string';
}

/** Resolves a parameter's reference to a schema, without its example, which the explorer would fill in. */
function withoutExample(schema: Exclude<Schema, Reference>): Schema {
  delete schema.example;
  const [reference, ...others] = schema.allOf ?? [];
  return reference && others.length === 0 && Object.keys(schema).length === 1 ? reference : schema;
}

/** Moves the schema of `ApiListResponse` or `ApiPageResponse` to the named schemas, and returns a reference to it. */
function named(schema: Schema = {}, schemas: Record<string, Schema>): Schema {
  const { [NAMED_SCHEMA]: isNamed, title = '', ...rest } = schema as NamedSchema;
  if (isNamed !== true) return schema;
  schemas[title] = rest;
  return { $ref: `#/components/schemas/${title}` };
}

/** Adds the bounds of int64 to a schema and its properties, and converts `example` to OpenAPI 3.1. */
function toOpenApi31(schema: Schema): void {
  if ('$ref' in schema) return;
  if (isInt64(schema)) Object.assign(schema, { ...INT64_BOUNDS, ...schema });
  if (schema.example !== undefined) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  Object.values(schema.properties ?? {}).forEach(toOpenApi31);
}
