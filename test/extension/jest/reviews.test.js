import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PetsService } from 'petstore';
import { createTestCore } from 'petstore/testing';

import { CreateReviews1795300000002 } from '../dist/reviews/create-reviews.migration.js';
import { ReviewsModule } from '../dist/reviews/reviews.module.js';
import { ReviewsService } from '../dist/reviews/reviews.service.js';

let testingModule;
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
});
