import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createKey, isKey } from '#src/auth/keys/api-key';

import { Client } from '../support/client.ts';
import { type Besieged, startBesieged } from './support/hostile/service.ts';
import { leaningOf } from './support/hostile/statistics.ts';
import { Wire } from './support/hostile/wire.ts';
import { rounds } from './support/mode.ts';

let service: Besieged;
let client: Client;
let neighbour: Client;
beforeAll(async () => {
  service = await startBesieged();
  client = await Client.of(service.url, service.key);
  neighbour = client.withKey(service.otherKey);
}, 120_000);
afterAll(() => service.remove());

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a key with a valid checksum that shares all but the last random characters with another key. */
function similarTo(key: string, different: number): string {
  const body = key.slice(0, -6 - different) + createKey().key.slice(3, 3 + different);
  if (key.startsWith(body)) return similarTo(key, different);
  let [rest, checksum] = [crc32(body), ''];
  for (; checksum.length < 6; rest = Math.floor(rest / 62)) checksum = BASE62.charAt(rest % 62) + checksum;
  return body + checksum;
}

/**
 * Returns by how many standard deviations the response to one key is slower than the response to another. The keys are
 * sent in pairs, one after the other on one connection, in random order.
 */
async function slownessOf(key: () => string, other: () => string): Promise<number> {
  const wire = await Wire.open(service.url);
  const exchange = async (sent: string) => {
    const startedAt = performance.now();
    wire.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sent}\r\n\r\n`);
    const answer = await wire.next(20_000);
    expect(answer?.status).toBe(401);
    return performance.now() - startedAt;
  };
  const differences: number[] = [];
  for (let i = -50; i < rounds(3000, 500); i++) {
    const isFirst = randomInt(2) === 0;
    const [first, second] = isFirst ? [key(), other()] : [other(), key()];
    const difference = (await exchange(first)) - (await exchange(second));
    if (i >= 0) differences.push(isFirst ? difference : -difference);
  }
  wire.close();
  return leaningOf(differences);
}

/**
 * The time to reject a key does not reveal how much of it is right, or whether it was ever active. Keys are looked up
 * by their SHA-256, so a key with only a wrong last character is not closer to a match than any other, and the index
 * contains only active keys. The time does reveal whether a key is valid, as does the response, and whether its
 * checksum is valid, which is public.
 *
 * Other load affects both keys equally, because the order of the keys is random. So equal keys differ by more than 5
 * standard deviations in one of 1.7 million comparisons, even on a busy machine. The last test shows that the
 * measurement detects a difference.
 */
describe('the time to reject a key', () => {
  const MAX_DEVIATIONS = 5;

  test('is the same for valid keys with wrong last characters and for any other keys', async () => {
    // The valid key is in use and cached.
    expect(isKey(similarTo(service.key, 1))).toBe(true);
    for (const different of [1, 13]) {
      const slowness = await slownessOf(
        () => similarTo(service.key, different),
        () => createKey().key,
      );
      expect(Math.abs(slowness), `${different} different`).toBeLessThan(MAX_DEVIATIONS);
    }
  });

  test('is the same for a revoked key and for an unknown key', async () => {
    const created = (await client.post('/keys', { label: 'to be revoked' })).body as {
      id: bigint;
      key: string;
    };
    expect((await client.withKey(created.key).get('/v1/pets')).status).toBe(200);
    expect((await client.send('DELETE', `/keys/${created.id}`)).status).toBe(204);
    const never = createKey().key;
    const slowness = await slownessOf(
      () => created.key,
      () => never,
    );
    expect(Math.abs(slowness)).toBeLessThan(MAX_DEVIATIONS);
  });

  test('reveals, by this measurement, a check that avoids the look-up', async () => {
    const typo = service.key.slice(0, -1) + (service.key.endsWith('0') ? '1' : '0');
    expect(
      await slownessOf(
        () => createKey().key,
        () => typo,
      ),
    ).toBeGreaterThan(MAX_DEVIATIONS);
  });
});

test('a key of one account cannot read the orders of another, also with concurrent requests', async () => {
  const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
  const { id: petId } = body as { id: bigint };
  const place = async (who: Client) => {
    const placed = await who.post('/v1/store/orders', { petId });
    expect(placed.status, placed.text).toBe(201);
    return (placed.body as { id: bigint }).id;
  };
  const both = [client, neighbour];
  // One after the other, so that a slow machine sheds none of them.
  const placeAll = async (who: Client) => {
    const ids: bigint[] = [];
    while (ids.length < 60) ids.push(await place(who));
    return ids;
  };
  const own = await Promise.all(both.map(placeAll));
  for (let round = 0; round < rounds(100, 10); round++) {
    const seen = await Promise.all(
      both.map(async (who) => {
        const first = await who.get('/v1/store/orders?limit=40');
        const last = await who.get(`/v1/store/orders?limit=100&after=${lastId(first.body)}`);
        return [...idsIn(first.body), ...idsIn(last.body)];
      }),
    );
    for (const [i, ids] of seen.entries()) expect(ids).toEqual([...(own[i] ?? [])].sort(compare));
  }
  // No id of the other account as a cursor leads to a page with its orders.
  const [mine = [], theirs = []] = own;
  for (const after of mine.slice(0, 10)) {
    const { body: page } = await neighbour.get(`/v1/store/orders?limit=100&after=${after - 1n}`);
    expect(idsIn(page).every((id) => theirs.includes(id))).toBe(true);
  }
});

const idsIn = (body: unknown) => (body as { id: bigint }[]).map(({ id }) => id);
const lastId = (body: unknown) => idsIn(body).at(-1) ?? 0n;
const compare = (a: bigint, b: bigint) => (a < b ? -1 : 1);
