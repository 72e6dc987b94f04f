import { Injectable } from '@nestjs/common';
import { expect, test } from 'vitest';

import { Page } from '#src/pagination/page';
import { Pet, type PetPageRequest } from '#src/pets/pet.dto';
import { PetsRepository } from '#src/pets/pets.repository';
import { PostgresPetsRepository } from '#src/pets/postgres-pets.repository';

import { startServiceForTest } from '../support/service.ts';

const CHIP = 9007199254740993n;

/** An animal with a field that the interface does not define. */
class ChippedPet extends Pet {
  readonly chip!: bigint;

  static of(pet: Pet): ChippedPet {
    return Object.assign(new ChippedPet(), pet, { chip: CHIP });
  }
}

@Injectable()
class ChippedPetsRepository extends PostgresPetsRepository {
  override async find(id: bigint): Promise<Pet | undefined> {
    const pet = await super.find(id);
    return pet && ChippedPet.of(pet);
  }

  override async list(request: PetPageRequest): Promise<Page<Pet>> {
    const { items, nextAfter } = await super.list(request);
    return new Page(
      items.map((pet) => ChippedPet.of(pet)),
      nextAfter,
    );
  }
}

test("a team's repository can add fields to an animal, which are written with exact integers", async () => {
  const replace = [{ provide: PetsRepository, useClass: ChippedPetsRepository }];
  const { client } = await startServiceForTest({}, { replace });
  const created = await client.post('/v1/pets', { name: 'Kitty', categoryId: 2n ** 63n - 1n });
  expect(created.status).toBe(201);
  const chipped = { id: 1n, name: 'Kitty', categoryId: 2n ** 63n - 1n, chip: CHIP };
  expect((await client.get('/v1/pets/1')).body).toEqual(chipped);
  expect((await client.get('/v1/pets')).body).toEqual([chipped]);
});

test('a repository can change its list between two requests', async () => {
  const list: Pet[] = [];
  const service = await startServiceForTest(
    {},
    {
      replace: [
        {
          provide: PetsRepository,
          useClass: class extends PostgresPetsRepository {
            override list({ limit }: PetPageRequest): Promise<Page<Pet>> {
              return Promise.resolve(Page.from(list, limit));
            }
          },
        },
      ],
    },
  );
  for (const name of ['Rex', 'Kitty']) {
    list[0] = Object.assign(new Pet(), { id: 1n, categoryId: 1n, name, status: 'available' });
    expect((await service.client.get('/v1/pets')).body).toMatchObject([{ name }]);
  }
});
