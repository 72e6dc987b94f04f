import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hashKey } from '#src/auth/keys/api-key';
import { parseJsonWithBigints } from '#src/domain/json';

import { query } from '../support/query.ts';
import { publishedOperations } from './support/hostile/document.ts';
import { FAMILIES } from './support/hostile/families.ts';
import type { Family, Target } from './support/hostile/family.ts';
import { LiveMemory } from './support/hostile/live-memory.ts';
import { type HostileRequest, MARKER, TEXT_FIELDS, taken } from './support/hostile/request.ts';
import { type Besieged, residentMebibytes, startBesieged } from './support/hostile/service.ts';
import { send, Tally } from './support/hostile/volley.ts';
import { quick, rounds } from './support/mode.ts';
import { record } from './support/results.ts';

const WAVES = rounds(5, 3);
/**
 * The number of requests of each family in each wave. With the first samples, the full form sends more than 200,000.
 */
const PER_WAVE = rounds(1500, 60);
const COSTLY_PER_WAVE = rounds(150, 4);
const SAMPLE = rounds(300, 40);
const COSTLY_SAMPLE = rounds(60, 6);
const AT_LEAST = rounds(200_000, 5000);

/**
 * The limit of the growth of live memory after the first wave: 24 bytes per request, or a kilobyte in the short form,
 * in which most of the growth is code that V8 compiles.
 */
const MAY_GROW_MEBIBYTES = 4;

/**
 * The limit of the growth of resident memory, which also shows leaks outside of the heap. Most of it is for reserves.
 */
const RESIDENT_MAY_GROW_MEBIBYTES = 128;

const seed = Number(process.env['HOSTILE_SEED'] ?? Date.now() % 2 ** 31);

let service: Besieged;
let target: Target;
const memory = new LiveMemory();
const tally = new Tally();
beforeAll(async () => {
  service = await startBesieged({ LOG_LEVEL: 'trace', ...memory.environment });
  const { url, key } = service;
  target = { url, key, operations: await publishedOperations(url) };
  // The animal that some requests use.
  await send(
    target,
    fc.sample(
      fc.constantFrom(...TEXT_FIELDS.slice(0, 1)).map((field) => taken(field, '""', '')),
      1,
    ),
    tally,
  );
}, 120_000);
afterAll(() => service.remove());
afterAll(() => memory.remove());

function draw({ requests, costly }: Family, wave: number, sample = false): HostileRequest[] {
  const [many, few] = sample ? [SAMPLE, COSTLY_SAMPLE] : [PER_WAVE, COSTLY_PER_WAVE];
  return fc.sample(requests(target), { numRuns: costly ? few : many, seed: seed + wave });
}

describe(`each response has the expected status, and an Error body if the request is rejected (seed ${seed})`, () => {
  test.each(FAMILIES)('$name', async (family) => {
    await send(target, draw(family, 0, true), tally);
  });
});

test(`all families together, in ${WAVES} waves, cause no 500 or 503, no hanging request, and no growth of memory`, async () => {
  const live: number[] = [];
  const resident: number[] = [];
  const startedAt = performance.now();
  const before = tally.requests;
  for (let wave = 1; wave <= WAVES; wave++) {
    for (const part of partsOf(wave)) await send(target, part, tally);
    live.push(await memory.weighMebibytes(service));
    resident.push(residentMebibytes(service.pid));
    console.log(
      `wave ${wave}: ${tally.requests} requests so far, ${live.at(-1)?.toFixed(1)} MiB live, ` +
        `${resident.at(-1)?.toFixed(0)} MiB resident`,
    );
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const growth = growthOf(live);
  console.log(`statuses: ${JSON.stringify(Object.fromEntries(tally.statuses))}`);
  expect(growth).toBeLessThan(MAY_GROW_MEBIBYTES);
  expect(growthOf(resident)).toBeLessThan(RESIDENT_MAY_GROW_MEBIBYTES);
  expect(tally.requests).toBeGreaterThanOrEqual(AT_LEAST);
  expect([...tally.statuses.keys()].filter((status) => [500, 503].includes(status))).toEqual([]);
  record(
    {
      fault: `hostile requests of ${FAMILIES.length} families`,
      requestsPerSecond: (tally.requests - before) / seconds,
      requests: tally.requests,
      acknowledged: tally.acknowledged,
      lost: 0,
      wrong: 0,
      unknown: 0,
      slowestMs: Math.round(tally.slowestMs),
      details: `live memory after each wave: ${live.map((each) => each.toFixed(1)).join(', ')} MiB`,
    },
    service.postgresVersion,
  );
}, 1_800_000);

/** Returns the growth from the end of the first wave to the end of the last one. */
const growthOf = (waves: number[]) => (waves.at(-1) ?? 0) - (waves[0] ?? 0);

/** Returns the parts of a wave. Each contains requests of all families in random order. */
function* partsOf(wave: number): Generator<HostileRequest[]> {
  const parts = quick ? 1 : 10;
  for (let part = 0; part < parts; part++) {
    const requests = FAMILIES.flatMap((family) => {
      const { requests: arbitrary, costly } = family;
      const count = (costly ? COSTLY_PER_WAVE : PER_WAVE) / parts;
      return fc.sample(arbitrary(target), { numRuns: count, seed: seed + wave * 1000 + part });
    });
    yield shuffled(requests, seed + wave * 1000 + part);
  }
}

function shuffled<Item>(items: Item[], itemSeed: number): Item[] {
  const [order = []] = fc.sample(fc.shuffledSubarray(items, { minLength: items.length }), {
    numRuns: 1,
    seed: itemSeed,
  });
  return order;
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

test('an ordinary request still works, and the prototypes have not changed', async () => {
  const answer = await fetch(`${service.url}/v1/pets?limit=1`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(answer.status).toBe(200);
  const [pet] = parseJsonWithBigints(await answer.text()) as [Record<string, unknown>];
  expect(Object.keys(pet)).toEqual(['id', 'name', 'categoryId']);
});

/**
 * The fields of a line of the log about a request. Only the id may come from the client, if it is short and has no
 * special characters.
 */
const REQUEST_FIELDS = [
  'level',
  'time',
  'pid',
  'hostname',
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'accountId',
  'keyId',
  'clientAddress',
  'requestBytes',
  'responseBytes',
  'aborted',
  'msg',
];

test('the log contains no key, no hash, no body and no URL of these requests', async () => {
  const { stdout, stderr } = await service.stop();
  expect(stderr).toBe('');
  const secrets = [
    service.key,
    service.otherKey,
    ...[...(tally.created.get('/keys')?.values() ?? [])].map(({ key }) => String(key)),
  ];
  for (const secret of secrets.slice(0, 200)) {
    const hash = hashKey(secret);
    for (const text of [
      secret,
      secret.slice(3),
      hash.toString('hex'),
      hash.toString('base64'),
      hash.toString('base64url'),
    ]) {
      expect(stdout.includes(text), 'a key or its hash').toBe(false);
    }
  }
  expect(stdout.includes(MARKER), 'a body, a header or an address').toBe(false);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const routes = new Set<unknown>();
  let requests = 0;
  for (const line of lines) {
    const entry = JSON.parse(line) as Record<string, unknown>;
    expect(entry['level'], line).toBe(30);
    if (entry['msg'] !== 'request') continue;
    requests++;
    routes.add(entry['route']);
    const unexpected = Object.keys(entry).filter((name) => !REQUEST_FIELDS.includes(name));
    if (unexpected.length > 0)
      throw new Error(`unexpected fields in the log: ${unexpected.join(', ')}: ${line}`);
  }
  const paths = target.operations.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const others = ['/health/live', '/openapi.json', '/openapi-accounts.json', null];
  expect([...routes].filter((route) => ![...paths, ...others].includes(route as string | null))).toEqual([]);
  // Data that is not HTTP has no line in the log.
  expect(requests).toBeGreaterThan(tally.requests * 0.9);
  expect(lines.length - requests).toBeLessThan(10);
});
