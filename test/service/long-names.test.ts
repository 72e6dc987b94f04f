import { expect, test } from 'vitest';

import { PetsRepository } from '#src/pets/pets.repository';

import { startServiceForTest } from '../support/service.ts';

test('a page ends before its JSON exceeds 256 KiB, and Link leads to the other animals', async () => {
  const { app, client } = await startServiceForTest();
  const names = Array.from({ length: 30 }, (_, number) => `${number}${'\u0001'.repeat(19_000)}`);
  await app.get(PetsRepository).insertBatches([names.map((name) => ({ name, categoryId: 1n }))]);
  const found: string[] = [];
  for (let path: string | undefined = '/v1/pets?limit=100'; path;) {
    const { text, body, headers } = await client.get(path);
    expect(text.length).toBeLessThan(257 * 1024);
    found.push(...(body as { name: string }[]).map(({ name }) => name));
    [, path] = /<(.+)>/.exec(headers.get('link') ?? '') ?? [];
  }
  expect(found).toEqual(names);
});

test('more distinct pages than one statement reads are all served, each with its own animals', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PetsRepository);
  const names = Array.from({ length: 1000 }, (_, number) => `animal ${number}`);
  await pets.insertBatches([names.map((name) => ({ name, categoryId: 1n }))]);
  const starts = Array.from({ length: 9 }, (_, index) => index * 100);
  const pages = await Promise.all(starts.map((start) => pets.list(1n, { after: BigInt(start), limit: 100 })));
  expect(pages.map(({ items }) => items.map((pet) => pet.name))).toEqual(
    starts.map((start) => names.slice(start, start + 100)),
  );
});
