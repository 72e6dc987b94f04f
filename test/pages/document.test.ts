import { globSync, readFileSync } from 'node:fs';

import { beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';

import * as limits from '#src/limits';

import type { Document, Media } from '../support/published-document.ts';
import { FEATURES } from '../support/root.ts';
import { type Service, startServiceForTest, useService } from '../support/service.ts';

const service = useService();
let document: Document;
let accounts: Document;
beforeAll(async () => {
  document = await documentOf(service);
  accounts = await documentOf(service, 'openapi-accounts.json');
});

async function documentOf({ client }: Service, name = 'openapi.json'): Promise<Document> {
  return JSON.parse((await client.get(`/${name}`)).text) as Document;
}

const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((item) => Object.values(item));
const examplesOf = ({ example, examples = {} }: Media) =>
  [example, ...Object.values(examples).map(({ value }) => value)].filter((value) => value !== undefined);
const operation = (id: string) => operationsOf(document).find(({ operationId }) => operationId === id);

test('openapi.json is the document that the service publishes; `npm run generate` updates it', async () => {
  const { text } = await service.client.get('/openapi.json');
  const { url } = service.client;
  // The address of a service is its own: the file has the path of the interface.
  const file = text.replace(`"url": "${url}/v1"`, '"url": "/v1"').replaceAll(url, 'https://petstore.example');
  await expect(file).toMatchFileSnapshot('../../openapi.json');
});

test('the tests run all features of the service: FEATURES in test/support/root.ts lists them', async () => {
  const { AppModule } = await import('#src/app.module');
  const [, ...features] = Reflect.getMetadata('imports', AppModule) as unknown[];
  expect(FEATURES).toEqual(features);
});

test('openapi.yaml is equal, including all digits of int64', async () => {
  const [json, yaml] = [
    (await service.client.get('/openapi.json')).text,
    (await service.client.get('/openapi.yaml')).text,
  ];
  const exact: unknown = parseYaml(yaml, { intAsBigInt: true });
  // JSON is YAML, so one exact parser reads both.
  expect(exact).toEqual(parseYaml(json, { intAsBigInt: true }));
});

test('the bounds of int64 are exact', async () => {
  for (const path of ['/openapi.json', '/openapi.yaml', '/openapi-accounts.json']) {
    const { text } = await service.client.get(path);
    const bounds = [...text.matchAll(/"?(minimum|maximum)"?: (-?\d{10,})/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(bounds.length).toBeGreaterThan(0);
    for (const [name, value] of bounds) {
      expect(value).toBe(name === 'minimum' ? '-9223372036854775808' : '9223372036854775807');
    }
  }
});

test('no schema has a pattern, because programming languages interpret regular expressions differently', () => {
  for (const published of [document, accounts]) {
    const patterns: unknown[] = [];
    JSON.stringify(published, (name, value: unknown) => {
      if (name === 'pattern') patterns.push(value);
      return value;
    });
    expect(patterns).toEqual([]);
  }
});

test('only PetStatus is a closed enumeration', () => {
  const closed = Object.entries(document.components.schemas).filter(([, schema]) =>
    JSON.stringify(schema).includes('"enum"'),
  );
  expect(closed.map(([name]) => name)).toEqual(['PetStatus']);
});

test('the statuses of orders and messages can get new values', () => {
  const { Order, Message } = document.components.schemas;
  const statusOf = (value: string) => ({ properties: { status: { 'x-extensible-enum': [value] } } });
  expect(Order).toMatchObject(statusOf('placed'));
  expect(Message).toMatchObject(statusOf('queued'));
});

test('only getPet is deprecated, with the day of its sunset', () => {
  const deprecated = [document, accounts].flatMap(operationsOf).filter((found) => found.deprecated);
  expect(deprecated).toMatchObject([
    { operationId: 'getPet', 'x-sunset': '2030-12-05', 'x-deprecated-sunset': '2030-12-05' },
  ]);
});

test('every operation except the creation of an account requires a bearer token, without a bearerFormat', () => {
  for (const { components, security } of [document, accounts]) {
    expect(Object.values(components.securitySchemes)).toEqual([
      { type: 'http', scheme: 'bearer', description: expect.any(String) as string },
    ]);
    expect(security).toEqual([{ bearer: [] }]);
  }
  const ownSecurity = [document, accounts].flatMap(operationsOf).filter((found) => found.security);
  expect(ownSecurity.map(({ operationId, security }) => [operationId, security])).toEqual([
    ['createAccount', [{}]],
  ]);
});

test('every operation on accounts and keys is experimental', () => {
  for (const found of operationsOf(accounts)) expect(found['x-stability']).toBe('experimental');
});

describe('the URLs in the documents', () => {
  const NAMES = ['openapi.json', 'openapi.yaml', 'openapi-accounts.json'];
  const textsOf = ({ client }: Service, headers: Record<string, string> = {}) =>
    Promise.all(NAMES.map(async (name) => (await client.get(`/${name}`, { headers })).text));

  test('have the origin of the request, which is not called production', async () => {
    const { info } = document;
    const { url } = service.client;
    expect(document.servers).toEqual([{ url: `${url}/v1` }]);
    expect(accounts.servers).toEqual([{ url }]);
    expect(info.description).toContain(`curl -H 'Authorization: Bearer <API_KEY>' ${url}/v1/pets`);
    expect(info.description).toContain(`(${url}/openapi-accounts.json)`);
    expect(accounts.info.description).toContain(`(${url}/openapi.json)`);
    for (const text of await textsOf(service)) expect(text).not.toMatch(/\{(root|credential)\}/i);
  });

  test('and the servers have the configured origin and prefix, independently of the request', async () => {
    const [PUBLIC_URL, STAGING_URL] = ['https://pets.example/api/v1', 'https://staging.pets.example/api/v1'];
    const configured = await startServiceForTest({ PUBLIC_URL, STAGING_URL });
    for (const text of await textsOf(configured)) {
      expect(text).toContain('https://pets.example/api/openapi');
      expect(text).not.toContain('127.0.0.1');
    }
    expect((await documentOf(configured)).servers).toEqual([
      { url: PUBLIC_URL, description: 'Production' },
      { url: STAGING_URL, description: 'Staging' },
    ]);
    const { servers } = await documentOf(configured, 'openapi-accounts.json');
    expect(servers).toEqual([{ url: 'https://pets.example/api' }]);
  });

  test('have the origin of a proxy only if the configuration trusts it', async () => {
    const headers = { 'X-Forwarded-Host': 'pets.example', 'X-Forwarded-Proto': 'https' };
    const trusting = await startServiceForTest({ TRUST_PROXY: 'loopback' });
    expect((await textsOf(trusting, headers))[0]).toContain('https://pets.example/v1/pets');
    expect((await textsOf(service, headers))[0]).not.toContain('pets.example');
  });
});

describe('the headers', () => {
  const headersOf = (id: string, status: string) =>
    [document, accounts].flatMap(operationsOf).find(({ operationId }) => operationId === id)?.responses[
      status
    ]?.headers ?? {};

  test('are required if a response always has them', () => {
    expect(headersOf('listPets', '200')).toMatchObject({ 'X-Request-Id': { required: true } });
    expect(headersOf('listPets', '401')).toMatchObject({ 'WWW-Authenticate': { required: true } });
    expect(headersOf('createPet', '201')).toMatchObject({ Location: { required: true } });
    expect(headersOf('listPets', '200')['Link']?.required).toBeUndefined();
  });

  test('contain the time to wait as an integer', () => {
    for (const [id, status] of [
      ['listPets', '429'],
      ['listPets', '503'],
      ['createPet', '409'],
    ] as const) {
      expect(headersOf(id, status)).toMatchObject({ 'Retry-After': { schema: { type: 'integer' } } });
    }
    expect(headersOf('createKey', '409')).not.toHaveProperty('Retry-After');
  });
});

test('each error code in the documents is in the extensible enumeration', () => {
  for (const published of [document, accounts]) {
    const { properties } = published.components.schemas['Error'] as {
      properties: { code: { 'x-extensible-enum': string[] } };
    };
    const known = properties.code['x-extensible-enum'];
    expect(known).toEqual([...known].sort());
    for (const { operationId, responses } of operationsOf(published)) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (status < '400') continue;
        for (const error of Object.values(content ?? {}).flatMap(examplesOf)) {
          expect(error, operationId).toMatchObject({ status: Number(status) });
          expect(known).toContain((error as { code: string }).code);
        }
      }
    }
  }
});

test('the operations that create something, and no others, declare an Idempotency-Key', () => {
  const keyed = [document, accounts]
    .flatMap(operationsOf)
    .filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
  const creating = Object.values(document.paths).flatMap(({ post }) => post?.operationId ?? []);
  expect(creating).toContain('createPet');
  expect(keyed.map(({ operationId }) => operationId)).toEqual(creating);
});

test('an Idempotency-Key has no example, which an importer would send with every request, and its length in prose', () => {
  const [key] = operation('createPet')?.parameters ?? [];
  expect(key).toMatchObject({ name: 'Idempotency-Key', required: false, schema: { type: 'string' } });
  expect(JSON.stringify(key)).not.toMatch(/example|maxLength|default/);
  expect(key?.description).toContain('1 to 255');
});

test('neither a description nor the guide repeats a bound of src/limits.ts by hand', () => {
  const bounds = Object.values<unknown>(limits)
    .filter((bound) => typeof bound === 'number')
    .filter((bound) => bound >= 100);
  const formats = bounds.flatMap((bound) => [
    String(bound),
    bound.toLocaleString('en'),
    ...(bound % 1024 === 0 ? [`${bound / 1024} KiB`] : []),
  ]);
  const byHand = new RegExp(`(?<![\\w.,])(?:${formats.join('|')})(?![\\w,])`);
  const files = globSync(['src/**/*.{dto,controller,decorator}.ts', 'src/openapi/decorators/*.ts']);
  expect(files.length).toBeGreaterThan(9);
  const repeated = [...files, 'docs/guide.md'].filter((file) =>
    byHand.test(readFileSync(file, 'utf8').replaceAll(/\$\{.*?\}|```.*?```/gs, '')),
  );
  expect(repeated).toEqual([]);
});

test('every response except 204 has a body with a schema', () => {
  for (const { operationId, responses } of [...operationsOf(document), ...operationsOf(accounts)]) {
    for (const [status, { content }] of Object.entries(responses)) {
      const types = Object.keys(content ?? {});
      expect(types, `${operationId} ${status}`).toEqual(status === '204' ? [] : ['application/json']);
    }
  }
});
