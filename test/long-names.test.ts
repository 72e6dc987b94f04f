import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { parseJsonWithBigints } from '#src/domain/json';
import { PostgresPetsRepository } from '#src/pets/postgres-pets.repository';

import { startServiceForTest } from './support/service.ts';

test('pages of long names are written in several turns of the event loop', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PostgresPetsRepository);
  const name = '🐈'.repeat(20_000);
  await pets.insertBatches([Array.from({ length: 100 }, () => ({ name, categoryId: 1n }))]);
  const page = await pets.list({ status: undefined, after: 0n, limit: 100 }, 1n);
  const progress = { isWritten: false, turns: 0 };
  const json = page.toJson().finally(() => (progress.isWritten = true));
  for (; !progress.isWritten; progress.turns++) await setImmediate();
  expect(progress.turns).toBeGreaterThan(3);
  expect(parseJsonWithBigints(await json)).toEqual(page.items);
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
