import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccountsRepository, KeyVerifier } from 'petstore';
import { createTestApp } from 'petstore/testing';
import { register } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { shelterConfig } from './shelter.config.js';
import { ShelterModule } from './shelter.module.js';

const { DATABASE_URL } = process.env;
const config = {
  ...{
    WEBHOOK_URL: 'http://127.0.0.1:9/',
    WEBHOOK_SECRET: 'whsec_dGVzdA==',
    JWKS_URL: 'http://127.0.0.1:9/',
  },
  ...{ TOKEN_ISSUER: 'test', TOKEN_AUDIENCE: 'test', BLOCKED_SUBJECTS: 'mallory', SLOW_REQUEST_MS: 500 },
};

let app: NestExpressApplication;
beforeAll(async () => {
  app = await createTestApp(
    ShelterModule,
    (builder) =>
      builder
        .overrideProvider(shelterConfig.KEY)
        .useValue(config)
        .overrideProvider(KeyVerifier)
        .useFactory({
          inject: [AccountsRepository],
          factory: (accounts: AccountsRepository) => ({
            credential: 'name',
            description: 'Any name.',
            findCaller: async (name: string) => ({
              account: await accounts.getOrCreate(name),
              keyId: name,
            }),
          }),
        }),
    DATABASE_URL === undefined ? {} : { DATABASE_URL },
  );
  app.enableVersioning();
  await app.listen(0, '127.0.0.1');
}, 60_000);
afterAll(() => app.close());

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch((await app.getUrl()) + path, {
    method,
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

const TOM = { name: 'Tom', categoryId: 1, shelterTags: ['shy', 'old'], shelterMicrochip: '276098102345678' };

test('fields of the team are validated, stored, returned and filtered by', async () => {
  const { status, body } = await send('POST', '/v1/pets', TOM);
  expect({ status, body }).toMatchObject({ status: 201, body: TOM });
  const { id } = body as { id: number };
  await send('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
  expect((await send('GET', `/v1/pets/${id}`)).body).toEqual({ id, ...TOM });
  expect((await send('GET', '/v1/pets?shelterMicrochip=276098102345678')).body).toEqual([{ id, ...TOM }]);
  expect((await send('GET', '/v1/pets?limit=1')).headers.get('link')).toMatch(
    /\?limit=1&after=\d+>; rel="next"/,
  );
  for (const fault of [
    { shelterTags: null },
    { shelterTags: 'shy' },
    { shelterTags: [5] },
    { shelterMicrochip: '1' },
  ]) {
    expect((await send('POST', '/v1/pets', { ...TOM, ...fault })).status).toBe(400);
  }
  expect(await send('GET', '/v1/pets?shelterMicrochip=1')).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', message: 'shelterMicrochip must have 15 digits.', status: 400 },
  });
});

test('the second version of the list has the cursor in the body', async () => {
  const first = (await send('GET', '/v2/pets?limit=1')).body as { items: unknown[]; next: string };
  expect(first.items).toHaveLength(1);
  expect(((await send('GET', `/v2/pets?after=${first.next}`)).body as { next: null }).next).toBeNull();
});

test('an animal and its visit are added together and once, or not at all', async () => {
  const intake = { pet: TOM, day: '2099-12-24', reason: 'Limps.' };
  const metric = async () =>
    (await register.getSingleMetric('shelter_visits_booked_total')?.get())?.values[0]?.value;
  const before = (await metric()) ?? 0;
  const key = { 'idempotency-key': 'one' };
  const first = await send('POST', '/v1/visits/intakes', intake, key);
  expect(first).toMatchObject({ status: 201, body: { pet: TOM, visit: { reason: 'Limps.' } } });
  expect(await send('POST', '/v1/visits/intakes', intake, key)).toMatchObject({
    status: 201,
    body: first.body,
  });
  expect(await metric()).toBe(before + 1);
  const count = async () => ((await send('GET', '/v1/pets?limit=100')).body as unknown[]).length;
  const animals = await count();
  expect(await send('POST', '/v1/visits/intakes', { ...intake, day: '2020-01-01' })).toMatchObject({
    status: 422,
    body: { code: 'visit_in_past' },
  });
  expect(await count()).toBe(animals);
  const message = 'pet.name is required.';
  const nameless = { ...intake, pet: { categoryId: 1 } };
  expect(await send('POST', '/v1/visits/intakes', nameless)).toMatchObject({
    status: 400,
    body: { message },
  });
});

test('an error of the team has its code', async () => {
  const { body } = await send('POST', '/v1/pets', TOM);
  const visit = { petId: (body as { id: number }).id, day: '2099-12-24', reason: 'Limps.' };
  expect((await send('POST', '/v1/visits', visit)).status).toBe(201);
  expect(await send('POST', '/v1/visits', visit)).toMatchObject({
    status: 409,
    body: { code: 'visit_taken', message: 'This animal has a visit on this day.', status: 409 },
  });
  expect((await send('POST', '/v1/visits', { ...visit, petId: 404 })).status).toBe(404);
});

test('a caller must not be blocked', async () => {
  const mallory = { authorization: 'Bearer mallory' };
  expect(await send('GET', '/v1/pets', undefined, mallory)).toMatchObject({
    status: 403,
    body: { code: 'forbidden', message: 'This caller is blocked.' },
  });
});

test('the document has the operations, fields and errors of the team, and the name of the token', async () => {
  const { paths, info, components } = (await send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, object>>;
    info: { title: string; description: string };
    components: { schemas: Record<string, object> };
  };
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(['/pets', '/visits', '/visits/intakes', '/v2/pets', '/store/orders', '/messages']),
  );
  expect(info).toMatchObject({
    title: 'City shelter',
    description: expect.stringContaining('<NAME>') as string,
  });
  expect(components.schemas['ShelterPet']).toMatchObject({
    properties: { shelterTags: {}, shelterMicrochip: {}, id: {} },
  });
  expect(JSON.stringify(paths['/pets'])).toContain('ShelterPet');
  expect(paths['/visits']?.['post']).toMatchObject({
    responses: { 422: { description: expect.stringContaining('`visit_in_past`: A visit') as string } },
  });
  expect(paths['/pets']?.['get']).toMatchObject({
    operationId: 'listPets',
    summary: 'List animals',
    responses: { 401: { description: expect.stringMatching(/^\[`unauthorized`\][^[]+$/) as string } },
  });
  expect(paths['/v2/pets']?.['get']).toMatchObject({ operationId: 'listPets_v2' });
});
