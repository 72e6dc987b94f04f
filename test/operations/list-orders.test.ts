import { beforeAll, expect, test } from 'vitest';

import { useService } from '../support/service.ts';

const service = useService();
let petId: bigint;
beforeAll(async () => {
  const pet = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2 });
  petId = (pet.body as { id: bigint }).id;
});

test('an account without orders lists none', async () => {
  const answer = await (await service.clientOf('newcomer')).get('/v1/store/orders');
  expect(answer).toMatchObject({ status: 200, body: [] });
  expect(answer.headers.has('link')).toBe(false);
});

test('the list contains the orders as they were returned, the newest last', async () => {
  const client = await service.clientOf('buyer');
  const texts: string[] = [];
  for (let i = 0; i < 3; i++) texts.push((await client.post('/v1/store/orders', { petId })).text);
  expect((await client.get('/v1/store/orders')).text).toBe(`[${texts.join(',')}]`);
});

test('all keys of an account list its orders, and no others', async () => {
  const [mine, alsoMine, theirs] = [
    await service.clientOf('mine'),
    await service.clientOf('mine'),
    await service.clientOf('theirs'),
  ];
  const order = await mine.post('/v1/store/orders', { petId });
  const other = await theirs.post('/v1/store/orders', { petId });
  expect((await mine.get('/v1/store/orders')).text).toBe(`[${order.text}]`);
  expect((await alsoMine.get('/v1/store/orders')).text).toBe(`[${order.text}]`);
  expect((await theirs.get('/v1/store/orders')).text).toBe(`[${other.text}]`);
});
