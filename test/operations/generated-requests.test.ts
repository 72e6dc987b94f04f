import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { parseJsonWithBigints, stringifyJson } from '#src/domain/json';

import { allowed, type Document, forbidden, resolve, type Schema } from '../support/schema-arbitraries.ts';
import { useService } from '../support/service.ts';

const service = useService();
const documents: Record<string, Document> = {};
beforeAll(async () => {
  for (const name of ['openapi.json', 'openapi-accounts.json']) {
    documents[name] = parseJsonWithBigints((await service.client.get(`/${name}`)).text) as Document;
  }
});

/** A schema of a document, the method and the path that accept it, and the statuses of the responses. */
const TAKEN: [document: string, schema: string, method: string, path: string, statuses: number[]][] = [
  ['openapi.json', 'NewPet', 'POST', '/v1/pets', [201]],
  ['openapi.json', 'NewMessage', 'POST', '/v1/messages', [202]],
  ['openapi.json', 'NewOrder', 'POST', '/v1/store/orders', [201, 404]],
  ['openapi-accounts.json', 'NewKey', 'POST', '/keys', [201, 409]],
  ['openapi-accounts.json', 'NewAccount', 'POST', '/accounts', [201]],
];

describe.each(TAKEN)('%s: %s', (name, schemaName, method, path, accepted) => {
  const setUp = () => {
    const document = documents[name];
    const { properties = {}, required = [] } = document?.components.schemas[schemaName] ?? {};
    const fields = Object.entries(properties).map(([field, schema]): [string, Schema] => [
      field,
      document ? resolve(document, schema) : schema,
    ]);
    const values = Object.fromEntries(fields.map(([field, schema]) => [field, allowed(schema)]));
    return { fields, required, valid: fc.record(values, { requiredKeys: required }) };
  };

  test('values that the schema allows are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        setUp().valid,
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        async (body, others) => {
          const json = { ...others, ...body, ...absent(setUp().fields, body) };
          const answer = await service.client.send(method, path, { json });
          expect(accepted, stringifyJson(body)).toContain(answer.status);
        },
      ),
    );
  });

  test('values that the schema forbids are rejected with a message that names the field', async () => {
    const { fields, required, valid } = setUp();
    const broken = fc.oneof(
      ...fields.map(([field, schema]) =>
        fc
          .tuple(valid, forbidden(schema))
          .map(([body, value]) => ({ field, body: { ...body, [field]: value } })),
      ),
      ...required.map((field) => valid.map((body) => ({ field, body: { ...body, [field]: undefined } }))),
    );
    await fc.assert(
      fc.asyncProperty(broken, async ({ field, body }) => {
        const answer = await service.client.send(method, path, { json: body });
        expect(answer.status, stringifyJson(body)).toBe(400);
        expect((answer.body as { message: string }).message).toMatch(
          new RegExp(`^${field}[.\\d]* (must |is required\\.$)`),
        );
      }),
    );
  });
});

/** Unknown fields must not have the names of fields that a valid body omits. */
function absent(fields: [string, Schema][], body: object): Record<string, undefined> {
  return Object.fromEntries(
    fields.filter(([field]) => !(field in body)).map(([field]) => [field, undefined]),
  );
}

describe.each(['/pets', '/store/orders'])('the query of %s', (path) => {
  const parameters = () => {
    const document = documents['openapi.json'];
    const found = document?.paths[path]?.['get']?.parameters ?? [];
    return found.map(({ name, schema }) => ({ name, schema: document ? resolve(document, schema) : schema }));
  };
  const get = (query: Record<string, unknown>) =>
    service.client.get(`/v1${path}?${new URLSearchParams(query as Record<string, string>).toString()}`);

  test('is accepted if the document allows it', async () => {
    const query = fc.record(
      Object.fromEntries(parameters().map(({ name, schema }) => [name, allowed(schema).map(String)])),
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (values) => {
        expect((await get(values)).status, JSON.stringify(values)).toBe(200);
      }),
    );
  });

  test('is rejected with a message that names the parameter, if the document forbids it', async () => {
    const wrong = fc.oneof(
      ...parameters().map(({ name, schema: { enum: values, minimum = 0n, maximum = 0n } }) =>
        fc
          .oneof(fc.string({ unit: 'binary' }), fc.bigInt().map(String), fc.double().map(String))
          .filter((value) =>
            values
              ? !values.includes(value)
              : !/^\d+$/.test(value) || BigInt(value) < minimum || BigInt(value) > maximum,
          )
          .map((value) => ({ name, value })),
      ),
    );
    await fc.assert(
      fc.asyncProperty(wrong, async ({ name, value }) => {
        const answer = await get({ [name]: value });
        expect(answer.status, `${name}=${value}`).toBe(400);
        expect((answer.body as { message: string }).message).toMatch(new RegExp(`^${name} must be `));
      }),
    );
  });
});
