import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { query } from '../support/query.ts';
import { type Family, FAMILIES } from './support/hostile/families.ts';
import { LiveMemory, type Vitals } from './support/hostile/live-memory.ts';
import { type HostileRequest, MARKER } from './support/hostile/request.ts';
import { type Besieged, startBesieged } from './support/hostile/service.ts';
import { send, Tally } from './support/hostile/volley.ts';
import { quick, rounds } from './support/mode.ts';
import { record } from './support/results.ts';

const WAVES = rounds(5, 3);
/** The number of requests of each family in each wave. The full form sends more than 100,000. */
const PER_WAVE = rounds(4000, 120);
const COSTLY_PER_WAVE = rounds(300, 8);

/**
 * The limit of the growth of live memory after the first wave: 40 bytes per request, or a few kilobytes in the short form,
 * in which most of the growth is code that V8 compiles.
 */
const MAY_GROW_MEBIBYTES = 4;

/** The limit of the growth of resident memory, which also shows leaks outside of the heap. Most of it is for reserves. */
const RESIDENT_MAY_GROW_MEBIBYTES = 128;

/** The limit of the 99th percentile of the delays of the event loop. */
const MAX_DELAY_MS = 50;

const seed = Number(process.env['HOSTILE_SEED'] ?? Date.now() % 2 ** 31);

let service: Besieged;
const memory = new LiveMemory();
const tally = new Tally();
beforeAll(async () => {
  service = await startBesieged({ LOG_LEVEL: 'trace', ...memory.environment });
}, 120_000);
afterAll(() => service.remove());
afterAll(() => memory.remove());

const draw = ({ requests, costly }: Family, wave: number) =>
  fc.sample(requests(service.key), { numRuns: costly ? COSTLY_PER_WAVE : PER_WAVE, seed: seed + wave });

describe(`each response has the expected status, and an Error body if the request is rejected (seed ${seed})`, () => {
  test.each(FAMILIES)('$name', async (family) => {
    await send(service, draw(family, 0), tally);
  });
});

test(`all families together, in ${WAVES} waves, cause no 500 or 503, no hanging request, and no growth of memory`, async () => {
  const waves: Vitals[] = [];
  const startedAt = performance.now();
  const before = tally.requests;
  await memory.measure(service);
  for (let wave = 1; wave <= WAVES; wave++) {
    await send(
      service,
      shuffled(
        FAMILIES.flatMap((family) => draw(family, wave)),
        seed + wave,
      ),
      tally,
    );
    waves.push(await memory.measure(service));
    console.log(`wave ${wave}: ${tally.requests} requests so far, ${JSON.stringify(waves.at(-1))}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`statuses: ${JSON.stringify(Object.fromEntries(tally.statuses))}`);
  const growthOf = (value: (vitals: Vitals) => number) => {
    const values = waves.map(value);
    return (values.at(-1) ?? 0) - (values[0] ?? 0);
  };
  expect(growthOf(({ liveMebibytes }) => liveMebibytes)).toBeLessThan(MAY_GROW_MEBIBYTES);
  expect(growthOf((wave) => wave.peakResidentMebibytes)).toBeLessThan(RESIDENT_MAY_GROW_MEBIBYTES);
  expect([...tally.statuses.keys()].filter((status) => [500, 503].includes(status))).toEqual([]);
  // A few turns are longer: Node parses a piece of 64 KiB in one turn, with all chunks in it.
  const delayMs = Math.max(...waves.map(({ delay }) => delay.p99Ms));
  if (!quick) expect.soft(delayMs).toBeLessThan(MAX_DELAY_MS);
  await record(
    {
      fault: `hostile requests of ${FAMILIES.length} families`,
      requestsPerSecond: (tally.requests - before) / seconds,
      requests: tally.requests,
      acknowledged: tally.acknowledged,
      slowestMs: Math.round(tally.slowestMs),
      details: [
        `live memory after each wave: ${waves.map((wave) => wave.liveMebibytes.toFixed(1)).join(', ')} MiB`,
        `event-loop delay p99 of the worst wave: ${Math.round(delayMs)} ms`,
      ].join('; '),
    },
    service.databaseUrl,
  );
}, 1_800_000);

function shuffled(requests: HostileRequest[], itemSeed: number): HostileRequest[] {
  const order = fc.shuffledSubarray(requests, { minLength: requests.length });
  return fc.sample(order, { numRuns: 1, seed: itemSeed })[0] ?? [];
}

test('accepted values are stored unchanged, and rejected requests have no effect', async () => {
  const tables: Record<string, string> = {
    '/v1/pets': `SELECT id, name, category_id::text AS "categoryId", status FROM pet`,
    '/v1/messages': `SELECT id, message FROM message`,
    '/v1/store/orders': `SELECT id, pet_id::text AS "petId" FROM store_order`,
    '/keys': `SELECT id, label FROM api_key WHERE label <> 'test'`,
  };
  for (const [path, sql] of Object.entries(tables)) {
    const responses = tally.created.get(path) ?? new Map<unknown, Record<string, unknown>>();
    const rows = await query<Record<string, string | null>>(service.databaseUrl, sql);
    expect(rows.length, path).toBe(responses.size);
    for (const { id = null, ...columns } of rows) {
      const known = responses.get(path === '/v1/messages' ? id : BigInt(id ?? 0));
      for (const [name, value] of Object.entries(columns)) {
        if (textOf(known?.[name]) !== value) throw new Error(`${path} ${id}: ${name}`);
      }
    }
  }
});

/** Formats a value of a response like the database. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'bigint' ? value.toString() : null;
}

test('the log contains no key, no body and no URL of these requests, and no error', async () => {
  const { stdout, stderr } = await service.stop();
  expect(stderr).toBe('');
  const created = [...(tally.created.get('/keys')?.values() ?? [])].map(({ key }) => String(key));
  for (const secret of [service.key, ...created.slice(0, 100)]) {
    expect(stdout.includes(secret.slice(3)), 'a key').toBe(false);
  }
  expect(stdout.includes(MARKER), 'a body, a header or an address').toBe(false);
  const lines = stdout.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(JSON.parse(line), line).toMatchObject({ level: 30 });
  // Data that is not HTTP has no line in the log.
  expect(lines.length).toBeGreaterThan(tally.requests * 0.9);
});
