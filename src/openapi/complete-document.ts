import type { OpenAPIObject } from '@nestjs/swagger';

import { type ServiceErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { INT64_BOUNDS } from '../http/validation/int64.js';
import { ERROR_TEXTS } from './pages/error-texts.js';
import { describeCode } from './pages/errors-page.js';
import { extensionsOfOtherTools, type OperationExtensions } from './decorators/extensions.js';
import { quotaHeaders, requiredHeader, SECONDS_TO_WAIT } from './decorators/header.js';
import { type Operation, operationsOf } from './operations.js';

export type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;
type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
type Reference = Extract<Schema, { $ref: string }>;

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
    if ('x-sunset' in operation) deprecate(operation);
    Object.assign(operation, extensionsOfOtherTools(operation as OperationExtensions));
  }
  dropUnused(document, schemas);
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

/** The headers of all responses with a status. */
function commonHeaders(status: number): NonNullable<Response['headers']> {
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
  if (status < 400) {
    media.example = exampleOf(media.schema, schemas);
    return;
  }
  const code = findCode(status);
  if (!code || media.examples) return;
  response.description ||= describeCode(code);
  media.example ??= { code, message: ERROR_TEXTS[code].example, status };
}

/** Marks an operation, and declares the headers of its deprecation on its errors. */
function deprecate(operation: Operation): void {
  operation.deprecated = true;
  const { 200: success, ...others } = operation.responses as Record<string, Response>;
  for (const [status, response] of Object.entries(others)) {
    if (![404, 500, 503].includes(Number(status))) continue;
    const declared = Object.entries(success?.headers ?? {})
      .filter(([name]) => ['Deprecation', 'Sunset', 'Link'].includes(name))
      // Errors that occur before the handler, such as an invalid percent-encoding in the path, lack the headers.
      .map(([name, declaration]) => [name, { ...declaration, required: false }] as const);
    response.headers = { ...response.headers, ...Object.fromEntries(declared) };
  }
}

function findCode(status: number): ServiceErrorCode | undefined {
  const codes = Object.keys(STATUS_OF_CODE) as ServiceErrorCode[];
  return codes.find((candidate) => STATUS_OF_CODE[candidate] === status);
}

function completeRequest(operation: Operation, schemas: Record<string, Schema>): void {
  const body = operation.requestBody;
  const media = body && 'content' in body ? body.content['application/json'] : undefined;
  if (media) media.example = exampleOf(media.schema, schemas);
  for (const parameter of operation.parameters ?? []) {
    if ('schema' in parameter && 'allOf' in parameter.schema)
      parameter.schema = withoutExample(parameter.schema);
    if ('schema' in parameter && 'format' in parameter.schema && parameter.schema.format === 'int64') {
      const { example, ...schema } = parameter.schema as { example?: unknown };
      parameter.schema = { ...INT64_BOUNDS, ...schema };
      if (example !== undefined) parameter.example = example;
    }
  }
}

/** Resolves a parameter's reference to a schema, without its example, which the explorer would fill in. */
function withoutExample(schema: Exclude<Schema, Reference>): Schema {
  delete schema.example;
  const [reference, ...others] = schema.allOf ?? [];
  return reference && others.length === 0 && Object.keys(schema).length === 1 ? reference : schema;
}

/** Moves a schema with a title to the named schemas, and returns a reference to it. */
function named(schema: Schema | undefined, schemas: Record<string, Schema>): Schema {
  if (!schema || '$ref' in schema || schema.title === undefined) return schema ?? {};
  const { title, ...rest } = schema;
  schemas[title] = rest;
  return { $ref: `#/components/schemas/${title}` };
}

/** Creates an example of a schema from the examples of its parts. */
function exampleOf(schema: Schema | undefined, schemas: Record<string, Schema>): unknown {
  if (!schema) return undefined;
  if ('$ref' in schema) return exampleOf(schemas[nameOf(schema)], schemas);
  if (schema.example !== undefined) return schema.example;
  const [whole] = schema.allOf ?? [];
  if (whole) return exampleOf(whole, schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, schemas)]));
}

/** Removes the schemas that only operations of another document use. */
function dropUnused({ paths }: OpenAPIObject, schemas: Record<string, Schema>): void {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('$ref' in node) {
      const name = nameOf(node as Reference);
      if (used.has(name)) return;
      used.add(name);
      return visit(schemas[name]);
    }
    Object.values(node).forEach(visit);
  };
  visit(paths);
  for (const name of Object.keys(schemas)) if (!used.has(name)) Reflect.deleteProperty(schemas, name);
}

function nameOf({ $ref }: Reference): string {
  return $ref.replace('#/components/schemas/', '');
}

/** Converts `example` and `nullable` of a schema to OpenAPI 3.1. */
function toOpenApi31(schema: Schema): void {
  if ('$ref' in schema) return;
  if (schema.nullable && typeof schema.type === 'string') {
    schema.type = [schema.type, 'null'];
    delete schema.nullable;
  }
  if (schema.example !== undefined) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  Object.values(schema.properties ?? {}).forEach(toOpenApi31);
}
