import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { createDatabase } from '../support/database.ts';
import { type Shop, startShop } from './support/shop.ts';
import { connectWebSocket } from './support/web-socket.ts';

let shop: Shop;
let document: OpenAPIObject;
beforeAll(async () => {
  const database = await createDatabase();
  shop = await startShop(database, { ...database.environment, PUBLIC_URL: 'https://shop.example/v1' });
  document = JSON.parse((await shop.client.get('/openapi.json')).text) as OpenAPIObject;
});
afterAll(() => shop.stop());

const SPAM = { stars: 1, text: 'Spam!' };

async function createPet(fields: object = {}): Promise<bigint> {
  const { body } = await shop.client.post('/v1/pets', { name: 'Kitty', categoryId: 1, ...fields });
  return (body as { id: bigint }).id;
}

describe('an error code of the team', () => {
  const REJECTED = {
    code: 'review_rejected',
    message: 'The review looks like an advertisement.',
    status: 422,
  };

  test('has the status that the composition gives it', async () => {
    const answer = await shop.client.post(`/v1/pets/${await createPet()}/reviews`, SPAM);
    expect(answer).toMatchObject({ status: 422, body: { ...REJECTED, status: 422n } });
  });

  test('is in the document, beside a code of the service with the same status', () => {
    const response = document.paths['/pets/{petId}/reviews']?.post?.responses['422'];
    expect(response).toMatchObject({
      description: expect.stringContaining('[`review_rejected`]') as string,
      content: {
        'application/json': {
          examples: {
            review_rejected: { value: REJECTED },
            idempotency_mismatch: { value: { code: 'idempotency_mismatch' } },
          },
        },
      },
    });
    expect(document.components?.schemas?.['Error']).toHaveProperty(
      'properties.code.x-extensible-enum',
      expect.arrayContaining(['invalid_request', 'review_rejected']) as string[],
    );
  });

  test('has a section on the page about errors', async () => {
    const { text } = await shop.client.get('/docs/errors');
    expect(text).toContain('<h2 id="review_rejected">');
    expect(text).toContain('The review looks like an advertisement.');
  });
});

describe('a scope', () => {
  test('of an operation of the team is required', async () => {
    const path = `/v1/pets/${await createPet()}/reviews`;
    const reader = shop.client.withKey(await shop.identityProvider.sign({ scope: 'reviews:read' }));
    expect(await reader.post(path, { stars: 5, text: 'Purrs.' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect((await reader.get(path)).status).toBe(200);
  });
});

describe('a field of the team', () => {
  test('of an animal is validated, stored and returned', async () => {
    const nicknames = ['Rexy', 'Your Majesty'];
    const pet = { name: 'Rex', categoryId: 1n, nicknames };
    const id = await createPet({ nicknames, name: 'Rex' });
    expect((await shop.client.get(`/v1/pets/${id}`)).body).toEqual({ id, ...pet });
    const { body: page } = await shop.client.get(`/v1/pets?after=${id - 1n}`);
    expect(page).toContainEqual({ id, ...pet });
    const other = await createPet();
    expect((await shop.client.get(`/v1/pets/${other}`)).body).not.toHaveProperty('nicknames');
  });

  test.each([
    ['Rexy', 'nicknames must be a list, not "Rexy".'],
    [['Rexy', 5], 'nicknames must have valid items: item 2 must be a string, not 5.'],
    [Array(11).fill('Rexy'), 'nicknames must have at most 10 items, not 11.'],
  ])('is refused with the value %j', async (nicknames, message) => {
    expect(await shop.client.post('/v1/pets', { name: 'Rex', categoryId: 1, nicknames })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message },
    });
  });

  test('takes effect once with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'nicknamed' };
    const send = () =>
      shop.client.post('/v1/pets', { name: 'Rex', categoryId: 1, nicknames: ['Rexy'] }, { headers });
    const [first, second] = [await send(), await send()];
    expect(first).toMatchObject({ status: 201, body: { nicknames: ['Rexy'] } });
    expect(second).toMatchObject({ status: 201, body: first.body });
  });

  test('is in the schemas of the document, whose names stay', () => {
    const nicknames = { type: 'array', items: { type: 'string', maxLength: 40 }, maxItems: 10 };
    for (const name of ['NewPet', 'Pet']) {
      expect(document.components?.schemas?.[name]).toMatchObject({ properties: { name: {}, nicknames } });
    }
    expect(
      Object.keys(document.components?.schemas ?? {}).filter((name) => name.includes('Nicknamed')),
    ).toEqual([]);
  });
});

describe('a controller outside of v1', () => {
  test('is in the document, with its own address', async () => {
    expect(document.paths['/clinic/prices']).toMatchObject({
      get: { operationId: 'listPrices', tags: ['Clinic'], servers: [{ url: 'https://shop.example' }] },
    });
    const { get: operation } = document.paths['/clinic/prices'] ?? {};
    expect(JSON.stringify(operation)).toContain('https://shop.example/clinic/prices');
    expect((await shop.client.get('/clinic/prices')).body).toEqual([{ treatment: 'vaccine', euros: 30n }]);
  });

  test('is not in the document without a tag of the composition', () => {
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/clinic'))).toEqual([
      '/clinic/prices',
    ]);
  });
});

describe('a WebSocket gateway', () => {
  const connect = async (token: string) => {
    const socket = await connectWebSocket(`${shop.url}/clinic/waiting-room`, token);
    onTestFinished(() => socket.close());
    return socket;
  };

  test('answers messages, which the service validates', async () => {
    const socket = await connect(await shop.identityProvider.sign({}));
    socket.send({ event: 'arrive', data: { name: 'Tom' } });
    expect(await socket.next()).toEqual({ event: 'waiting', data: { count: 1 } });
    socket.send({ event: 'arrive', data: { keeper: { name: 'Ann' } } });
    expect(await socket.next()).toEqual({
      event: 'error',
      data: { code: 'invalid_request', message: 'name is required.' },
    });
  });

  test('closes connections without a valid token', async () => {
    expect(await (await connect('x')).closed).toBe(1008);
  });

  test('does not keep the process from stopping, and gets the signal', async () => {
    const database = await createDatabase();
    const own = await startShop(database, database.environment);
    onTestFinished(() => own.stop());
    const socket = await connectWebSocket(
      `${own.url}/clinic/waiting-room`,
      await own.identityProvider.sign({}),
    );
    expect(await own.end()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The waiting room closes after SIGTERM.') as string,
    });
    await socket.closed;
  });
});
