import { Test, type TestingModule } from '@nestjs/testing';
import { PetNotFound, PetsService } from 'petstore';
import { createTestCore } from 'petstore/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { CreateReviews1795300000002 } from './create-reviews.migration.js';
import { ReviewsModule } from './reviews.module.js';
import { ReviewsService } from './reviews.service.js';

let testingModule: TestingModule;
beforeAll(async () => {
  const core = await createTestCore({ migrations: [CreateReviews1795300000002] });
  testingModule = await Test.createTestingModule({ imports: [core, ReviewsModule] }).compile();
  await testingModule.init();
}, 60_000);
afterAll(() => testingModule.close());

test('the module of the reviews works without the rest of the service', async () => {
  const pet = await testingModule
    .get(PetsService, { strict: false })
    .create(1n, { name: 'Tom', categoryId: 1n });
  const reviews = testingModule.get(ReviewsService);
  await reviews.create(pet.id, { stars: 5, text: 'Purrs.' });
  expect(await reviews.list(pet.id)).toMatchObject([{ petId: pet.id, stars: 5, text: 'Purrs.' }]);
  await expect(reviews.create(404n, { stars: 1, text: 'Who?' })).rejects.toThrow(PetNotFound);
});
