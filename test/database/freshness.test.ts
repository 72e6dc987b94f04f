import { expect, test } from 'vitest';

import type { Client } from '../support/client.ts';
import { onPostgres } from '../support/database.ts';
import { startReplicaForTest, startServiceForTest } from '../support/service.ts';

const CLIENTS = 32;
const ANIMALS_EACH = 15;

test('an acknowledged animal is in every later get and list, on every replica', async () => {
  const service = await startServiceForTest();
  // The embedded database supports only one process.
  const replica = onPostgres() ? await startReplicaForTest(service) : service;
  const readers = [service.client, replica.client];

  const live = async (number: number) => {
    for (let round = 0; round < ANIMALS_EACH; round++) {
      const { body } = await service.client.post('/v1/pets', {
        name: `${number}.${round}`,
        categoryId: number,
      });
      await Promise.all(readers.map((reader) => expectToSee(reader, body as Pet)));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => live(number)));
});

test('concurrent lists with different limits, filters and cursors each get their own page', async () => {
  const { client } = await startServiceForTest();
  const statuses = ['available', 'pending', 'sold'];
  for (let id = 1; id <= 30; id++) {
    await client.post('/v1/pets', { name: `animal ${id}`, categoryId: id, status: statuses[id % 3] });
  }
  const all = (await client.get('/v1/pets?limit=100')).body as (Pet & { status: string })[];
  const asked = [undefined, ...statuses].flatMap((status) =>
    [1, 2, 7, 30, 100].flatMap((limit) => [0n, 9n, 29n].map((after) => ({ status, limit, after }))),
  );
  await Promise.all(
    asked.map(async ({ status, limit, after }) => {
      const filter = status === undefined ? '' : `&status=${status}`;
      const { body, headers } = await client.get(`/v1/pets?limit=${limit}&after=${after}${filter}`);
      const matching = all.filter((pet) => pet.id > after && (status === undefined || pet.status === status));
      expect(body).toEqual(matching.slice(0, limit));
      expect(headers.has('link')).toBe(matching.length > limit);
    }),
  );
});

interface Pet {
  id: bigint;
  name: string;
}

async function expectToSee(reader: Client, pet: Pet): Promise<void> {
  const [get, list] = await Promise.all([
    reader.get(`/v1/pets/${pet.id}`),
    reader.get(`/v1/pets?limit=100&after=${pet.id - 1n}`),
  ]);
  expect([get.status, list.status]).toEqual([200, 200]);
  expect(get.body).toEqual(pet);
  expect((list.body as Pet[])[0]).toEqual(pet);
}
