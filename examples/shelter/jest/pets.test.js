import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { AccountsRepository, AuthModule, PetsModule, PetsService } from 'petstore';
import { createTestCore } from 'petstore/testing';

import { CreateShelter1796000000000 } from '../dist/create-shelter.migration.js';
import { ShelterPetEntity } from '../dist/pets/shelter-pet.entity.js';
import { ShelterPetsRepository } from '../dist/pets/shelter-pets.repository.js';

let testingModule;
beforeAll(async () => {
  const core = await createTestCore({ migrations: [CreateShelter1796000000000] });
  const pets = PetsModule.register({ entity: ShelterPetEntity, repository: ShelterPetsRepository });
  testingModule = await Test.createTestingModule({ imports: [core, pets, AuthModule] }).compile();
  await testingModule.init();
}, 60_000);
afterAll(() => testingModule.close());

test('an animal is found by its microchip', async () => {
  const { id } = await testingModule.get(AccountsRepository).getOrCreate('till');
  const pets = testingModule.get(PetsService);
  const tom = await pets.create(id, { name: 'Tom', categoryId: 1n, shelterMicrochip: '276098102345678' });
  await pets.create(id, { name: 'Rex', categoryId: 1n });
  const found = await pets.list(id, { shelterMicrochip: '276098102345678', after: 0n, limit: 20 });
  expect([...found.items]).toEqual([tom]);
});
