import { METHODS } from 'node:http';

import fc from 'fast-check';

import { parseJsonWithBigints, stringifyJson } from '#src/domain/json';

import {
  allowed,
  type Document,
  forbidden,
  resolve,
  type Schema,
} from '../../../support/schema-arbitraries.ts';
import type { Family } from './family.ts';
import { ask, type HostileRequest, post } from './request.ts';

/** An operation of a published document. */
export interface Operation {
  operationId: string;
  method: string;
  /** The path below the root, with its parameters in braces. */
  path: string;
  /** The methods of the path, including this one. */
  allow: string;
  parameters: readonly { name: string; in: string; schema: Schema }[];
  body: readonly { name: string; required: boolean; schema: Schema }[] | undefined;
  /** The status of the response to a valid request. */
  success: number;
}

interface Item extends Partial<Record<string, unknown>> {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, object>;
}

/** Returns every operation that the service publishes. */
export async function publishedOperations(url: string): Promise<Operation[]> {
  const documents = [
    ['/v1', 'openapi.json'],
    ['', 'openapi-accounts.json'],
  ] as const;
  const operations = await Promise.all(
    documents.map(async ([base, name]) => {
      const document = parseJsonWithBigints(await (await fetch(`${url}/${name}`)).text()) as Document;
      return Object.entries(document.paths as unknown as Record<string, Record<string, Item>>).flatMap(
        ([path, items]) =>
          Object.entries(items).map(([method, item]) =>
            operationOf(document, base + path, method.toUpperCase(), allowOf(Object.keys(items)), item),
          ),
      );
    }),
  );
  return operations.flat();
}

function operationOf(document: Document, path: string, method: string, allow: string, item: Item): Operation {
  const { operationId, parameters = [], requestBody, responses } = item;
  const schema = requestBody && resolve(document, requestBody.content['application/json'].schema);
  return {
    operationId,
    method,
    path,
    allow,
    parameters: parameters.map((each) => ({ ...each, schema: resolve(document, each.schema) })),
    body:
      schema &&
      Object.entries(schema.properties ?? {}).map(([name, field]) => ({
        name,
        required: schema.required?.includes(name) ?? false,
        schema: resolve(document, field),
      })),
    success: Number(Object.keys(responses).find((status) => status < '300')),
  };
}

function allowOf(methods: string[]): string {
  const upper = methods.map((method) => method.toUpperCase());
  return [...upper, ...(upper.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
}

/** Methods that Node supports and the path does not. CONNECT has no path. */
export function unlistedMethods({ allow }: Operation): string[] {
  return METHODS.filter((method) => !['CONNECT', 'OPTIONS', ...allow.split(', ')].includes(method));
}

/** Ids above those of a run, so that no request revokes a key or orders an animal by accident. */
const unusedId = fc.bigInt({ min: 10n ** 15n, max: 10n ** 18n });

/** A request that the document allows. Optional parameters and fields may be absent; the others match their schemas. */
function allowedRequest(operation: Operation): fc.Arbitrary<HostileRequest> {
  const { method, path, parameters, body } = operation;
  const query = fc.record(
    Object.fromEntries(
      parameters
        .filter((each) => each.in === 'query')
        .map((each) => [each.name, allowed(each.schema).map(String)]),
    ),
    { requiredKeys: [] },
  );
  const fields = fc.record(
    Object.fromEntries(
      (body ?? []).map((field) => [field.name, field.name === 'petId' ? unusedId : allowed(field.schema)]),
    ),
    { requiredKeys: (body ?? []).filter(({ required }) => required).map(({ name }) => name) },
  );
  const succeeds = operation.operationId === 'createKey' ? [201, 409] : [operation.success];
  const namesNothing = path.includes('{') || operation.operationId === 'placeOrder';
  const statuses = namesNothing ? [404] : succeeds;
  return fc.tuple(query, fields, unusedId).map(([values, created, id]) => {
    const search = new URLSearchParams(values as Record<string, string>).toString();
    const target = path.replaceAll(/\{\w+\}/g, String(id)) + (search === '' ? '' : `?${search}`);
    return body
      ? { ...post(target, stringifyJson(created), statuses, created), method }
      : ask(method, target, ...statuses);
  });
}

/** A request with one parameter or field that the document forbids. */
function forbiddenRequest(operation: Operation): fc.Arbitrary<HostileRequest> | undefined {
  const { path, parameters, body = [] } = operation;
  const wrong = [
    ...parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter) =>
        fc
          .tuple(allowedRequest(operation), forbiddenText(parameter.schema))
          .map(([request, text]): HostileRequest => {
            if (parameter.in === 'query') {
              return { ...request, target: withQuery(request.target, parameter.name, text), statuses: [400] };
            }
            return {
              ...request,
              target: path.replaceAll(/\{\w+\}/g, escapePath(text)),
              statuses: [404],
            };
          }),
      ),
    ...body.flatMap(({ name, required, schema }) =>
      [forbidden(schema), ...(required ? [fc.constant(undefined)] : [])].map((values) =>
        fc.tuple(allowedRequest(operation), values).map(([request, value]) => ({
          ...request,
          body: stringifyJson({ ...request.created, [name]: value }),
          statuses: [400],
        })),
      ),
    ),
  ];
  return wrong.length === 0 ? undefined : fc.oneof(...wrong);
}

function withQuery(target: string, name: string, text: string): string {
  const [path = ''] = target.split('?');
  return `${path}?${new URLSearchParams({ [name]: text }).toString()}`;
}

/** Text that the schema of a parameter forbids. */
function forbiddenText({ enum: values, minimum = 0n, maximum = 0n }: Schema): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.bigInt().map(String),
      fc.constantFrom(minimum - 1n, maximum + 1n).map(String),
    )
    .filter((text) => text.isWellFormed())
    .filter((text) => {
      if (values) return !values.includes(text);
      return !/^-?\d+$/.test(text) || BigInt(text) < minimum || BigInt(text) > maximum;
    });
}

/** Text as a segment of a path. It is never empty, and never a dot, which clients would resolve. */
const escapePath = (text: string) => encodeURIComponent(text || ' ').replaceAll('.', '%2e');

/** Requests that the documents allow, and requests that they forbid, of every operation. */
export const DOCUMENTED: readonly Family[] = [
  {
    name: 'what the document allows',
    // The name of a new account differs from the request, and the response has a key.
    requests: ({ operations }) =>
      fc.oneof(...operations.filter(({ path }) => path !== '/accounts').map(allowedRequest)),
  },
  {
    name: 'what the document forbids',
    requests: ({ operations }) => fc.oneof(...operations.flatMap((each) => forbiddenRequest(each) ?? [])),
  },
];
