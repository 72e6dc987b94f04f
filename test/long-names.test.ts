import { expect, test } from 'vitest';

import { PostgresPetsRepository } from '#src/pets/postgres-pets.repository';

import { startServiceForTest } from './support/service.ts';

/** Far more turns than it takes to answer what is ready in the same turn of the event loop. */
const MICROTASKS = 1000;

test('pages of long names that are read together are answered in different turns of the event loop', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PostgresPetsRepository);
  const name = '🐈'.repeat(20_000);
  await pets.insertBatches([Array.from({ length: 11 }, () => ({ name, categoryId: 1n }))]);
  const answered: number[] = [];
  const pages = [1, 2, 3].map(async (limit) => {
    const page = await pets.list({ status: undefined, after: 0n, limit: 7 + limit }, 1n);
    expect(page.items.map((pet) => pet.name)).toEqual(Array<string>(7 + limit).fill(name));
    answered.push(limit);
  });
  await pages[0];
  for (let microtask = 0; microtask < MICROTASKS; microtask++) await Promise.resolve();
  expect(answered).toEqual([1]);
  await Promise.all(pages);
  expect(answered).toEqual([1, 2, 3]);
});

test('more distinct pages than one statement reads are all answered, each with its own animals', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PostgresPetsRepository);
  const names = Array.from({ length: 1000 }, (_, number) => `animal ${number}`);
  await pets.insertBatches([names.map((name) => ({ name, categoryId: 1n }))]);
  const starts = Array.from({ length: 9 }, (_, index) => index * 100);
  const pages = await Promise.all(
    starts.map((start) => pets.list({ status: undefined, after: BigInt(start), limit: 100 }, 1n)),
  );
  expect(pages.map(({ items }) => items.map((pet) => pet.name))).toEqual(
    starts.map((start) => names.slice(start, start + 100)),
  );
});
