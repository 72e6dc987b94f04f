import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { AccountsRepository, AuthModule, Database, PetsModule, PetsService } from 'petstore';
import { createTestCore } from 'petstore/testing';

import { CreateShelter1796000000000 } from '../dist/create-shelter.migration.js';
import { VisitsRepository } from '../dist/visits/visits.repository.js';
import { VisitsService } from '../dist/visits/visits.service.js';

let testingModule;
beforeAll(async () => {
  const core = await createTestCore({ migrations: [CreateShelter1796000000000] });
  testingModule = await Test.createTestingModule({
    imports: [core, PetsModule, AuthModule],
    providers: [VisitsService, VisitsRepository],
  }).compile();
  await testingModule.init();
}, 60_000);
afterAll(() => testingModule.close());

test('the rules about visits work without the rest of the application', async () => {
  const { id } = await testingModule.get(AccountsRepository).getOrCreate('till');
  const pet = await testingModule.get(PetsService).create(id, { name: 'Tom', categoryId: 1n });
  const visit = { petId: pet.id, day: '2099-12-24', reason: 'Limps.' };
  const visits = testingModule.get(VisitsService);
  const book = () =>
    testingModule.get(Database).transaction((transaction) => visits.book(id, visit, transaction));
  expect(await book()).toMatchObject(visit);
  await expect(book()).rejects.toThrow('This animal has a visit on this day.');
});
