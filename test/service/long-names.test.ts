import { beforeAll, expect, test } from 'vitest';

import { PetsRepository } from '#src/pets/pets.repository';

import { onCitus } from '../support/database.ts';
import { useService } from '../support/service.ts';

const SHORT = 1000;
/** A control character is one byte in the database, and six in JSON. */
const LONG = Array.from({ length: 140 }, (_, number) => `${number}${'\u0001'.repeat(19_000)}`);

const service = useService();
let pets: PetsRepository;
beforeAll(async () => {
  pets = service.app.get(PetsRepository);
  const short = Array.from({ length: SHORT }, (_, number) => `animal ${number}`);
  for (const names of [short, LONG])
    await pets.insertBatches([names.map((name) => ({ name, categoryId: 1n }))]);
});

test('a page ends before its JSON exceeds 256 KiB, and Link leads to the other animals', async () => {
  const found: string[] = [];
  for (let path: string | undefined = `/v1/pets?limit=100&after=${SHORT - 5}`; path && found.length < 35;) {
    const { text, body, headers } = await service.client.get(path);
    expect(text.length).toBeLessThanOrEqual(256 * 1024);
    found.push(...(body as { name: string }[]).map(({ name }) => name));
    [, path] = /<(.+)>/.exec(headers.get('link') ?? '') ?? [];
  }
  expect(found.slice(4, 34)).toEqual(['animal 999', ...LONG.slice(0, 29)]);
});

test('a page of names whose JSON is just longer than 256 KiB ends before it', async () => {
  const name = '\u0001'.repeat(436);
  await pets.insertBatches([Array.from({ length: 101 }, () => ({ name, categoryId: 1n }))]);
  const { text, headers } = await service.client.get(`/v1/pets?limit=100&after=${SHORT + LONG.length}`);
  expect(text.length).toBeLessThanOrEqual(256 * 1024);
  expect(text.length).toBeGreaterThan(250 * 1024);
  expect(headers.get('link')).not.toContain(`after=${SHORT + LONG.length + 100}`);
});

test('more distinct pages than one statement reads are all served, each with its own animals', async () => {
  const starts = Array.from({ length: 17 }, (_, index) => index * 50);
  const pages = await Promise.all(starts.map((start) => pets.list(1n, { after: BigInt(start), limit: 100 })));
  expect(pages.map(({ items }) => items.map((pet) => pet.id))).toEqual(
    starts.map((start) => Array.from({ length: 100 }, (_, index) => BigInt(start + index + 1))),
  );
});

test('long pages of one account delay the lists of another by few of them', async () => {
  let served = 0;
  const attack = Array.from({ length: 40 }, async (_, index) => {
    await pets.list(1n, { after: BigInt(SHORT + index), limit: 100 });
    served++;
  });
  // The last two pages are that of the first request and that of the last request of the other account.
  const long = [SHORT + 120, SHORT, SHORT + 39].map((after) => ({ after: BigInt(after), limit: 100 }));
  const servedBefore = await Promise.all(
    [{ after: 0n, limit: 100 }, ...long].map((query) => pets.list(2n, query).then(() => served)),
  );
  // A slow machine refuses the last ones.
  await Promise.allSettled(attack);
  expect(Math.max(...servedBefore)).toBeLessThan(20);
  // No long page delays a short one, except on Citus, which reads both as rows.
  if (!onCitus()) expect(servedBefore[0]).toBe(0);
});
