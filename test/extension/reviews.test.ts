import { afterAll, beforeAll, expect, test } from 'vitest';

import { createDatabase } from '../support/database.ts';
import { type Shop, startShop } from './support/shop.ts';

let shop: Shop;
let petId: bigint;
beforeAll(async () => {
  const database = await createDatabase();
  shop = await startShop(database, database.environment);
  petId = ((await shop.client.post('/v1/pets', { name: 'Kitty', categoryId: 1 })).body as { id: bigint }).id;
});
afterAll(() => shop.stop());

const review = (text: string, headers: Record<string, string> = {}) =>
  shop.client.post(`/v1/pets/${petId}/reviews`, { stars: 4, text }, { headers });
const texts = async () => {
  const { body } = await shop.client.get(`/v1/pets/${petId}/reviews`);
  return (body as { text: string }[]).map(({ text }) => text);
};

test("an injected repository of TypeORM saves and finds a team's entity", async () => {
  expect(await review('Purrs all day.')).toMatchObject({
    status: 201,
    body: { id: expect.stringMatching(/^\d+$/) as string, petId, stars: 4n, text: 'Purrs all day.' },
  });
  expect(await texts()).toContain('Purrs all day.');
});

test('a write with an Idempotency-Key takes effect once', async () => {
  const send = () => review('Sleeps a lot.', { 'Idempotency-Key': 'once' });
  const [first, second] = [await send(), await send()];
  expect(second).toMatchObject({ status: 201, body: first.body });
  expect((await texts()).filter((text) => text === 'Sleeps a lot.')).toHaveLength(1);
});

test('a write is rolled back when the request fails', async () => {
  for (const headers of [{ 'Idempotency-Key': 'spam' }, { 'Idempotency-Key': 'spam' }]) {
    expect((await review('Spam!', headers)).status).toBe(422);
  }
  expect(await texts()).not.toContain('Spam!');
});

test('a service of the package can be called inside the transaction', async () => {
  const answer = await shop.client.post(
    '/v1/pets/999999/reviews',
    { stars: 1, text: 'Who?' },
    { headers: { 'Idempotency-Key': 'unknown' } },
  );
  expect(answer).toMatchObject({ status: 404, body: { message: 'There is no animal with the id 999999.' } });
});
