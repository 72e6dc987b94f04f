import { expect, test } from 'vitest';

import type { Client } from '../support/client.ts';
import { onPostgres } from '../support/database.ts';
import { startServiceForTest } from '../support/service.ts';

const CLIENTS = 16;
const ANIMALS_EACH = 15;

// The embedded database supports only one process.
test.runIf(onPostgres())('an acknowledged animal is in every later read on every replica', async () => {
  const service = await startServiceForTest();
  const replica = await startServiceForTest(service.database.environment);
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
