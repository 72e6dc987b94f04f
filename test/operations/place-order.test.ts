import { beforeAll, expect, test } from 'vitest';

import { useService } from '../support/service.ts';

const service = useService();
let petId: bigint;
beforeAll(async () => {
  const pet = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2, status: 'available' });
  petId = (pet.body as { id: bigint }).id;
});

test('the response to an order is 201 with its fields', async () => {
  const before = Date.now();
  const answer = await service.client.post('/v1/store/orders', { petId });
  expect(answer).toMatchObject({ status: 201, body: { petId, status: 'placed' } });
  const { createdAt } = answer.body as { createdAt: string };
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  // The time is that of the database, which may run on another machine.
  expect(Math.abs(Date.parse(createdAt) - before)).toBeLessThan(60_000);
});

test('an order does not change the animal, which can be ordered again', async () => {
  const pet = await service.client.get(`/v1/pets/${petId}`);
  for (let i = 0; i < 2; i++) {
    expect((await service.client.post('/v1/store/orders', { petId })).status).toBe(201);
  }
  expect((await service.client.get(`/v1/pets/${petId}`)).text).toBe(pet.text);
});

test('the client cannot set the status and other fields', async () => {
  const answer = await service.client.post('/v1/store/orders', {
    petId,
    id: 1_000_000n,
    status: 'delivered',
    createdAt: '2000-01-01T00:00:00.000Z',
    accountId: 1,
  });
  expect(answer).toMatchObject({ status: 201, body: { status: 'placed' } });
  expect((answer.body as { id: bigint }).id).not.toBe(1_000_000n);
  expect((answer.body as { createdAt: string }).createdAt).not.toMatch(/^2000/);
});

test.each([0n, -1n, 9223372036854775807n, -9223372036854775808n])(
  'an order of the animal %s, which does not exist, is a 404 and has no effect',
  async (missing) => {
    const before = await service.client.get('/v1/store/orders?limit=100');
    const answer = await service.client.post('/v1/store/orders', { petId: missing });
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: `There is no animal with the id ${missing}.` },
    });
    expect((await service.client.get('/v1/store/orders?limit=100')).text).toBe(before.text);
  },
);
