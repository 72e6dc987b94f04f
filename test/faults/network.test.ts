import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type ListeningProcess, startServiceProcess } from '../support/process.ts';
import { getStatus } from './support/health.ts';
import { Ledger } from './support/ledger.ts';
import { Load } from './support/load.ts';
import { quick, rounds } from './support/mode.ts';
import { Proxy } from './support/proxy.ts';
import { recordLoad } from './support/results.ts';
import { createStore, readBack, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS, TIMEOUTS } from './support/timeouts.ts';

interface Fault {
  fault: string;
  harm: (proxy: Proxy) => void;
  /** Whether only the full form runs it. */
  onlyInFull?: true;
  /** Whether the fault makes the database unavailable. */
  total?: boolean;
}

const FAULTS: Fault[] = [
  { fault: 'black hole in both directions', total: true, harm: (proxy) => proxy.set({ blackHole: true }) },
  { fault: 'every connection is reset', total: true, harm: (proxy) => proxy.reset() },
  {
    fault: 'a tenth of the responses is interrupted',
    harm: (proxy) =>
      proxy.set({ cutAt: ({ length }) => (Math.random() < 0.1 ? Math.floor(length / 2) : -1) }, ['toClient']),
  },
  {
    fault: 'latency of 50 ms each way',
    onlyInFull: true,
    harm: (proxy) => proxy.set({ latencyMs: 50 }),
  },
  {
    fault: 'the response to every commit is lost',
    onlyInFull: true,
    harm: (proxy) => proxy.set({ cutAt: (chunk) => chunk.indexOf('INSERT 0 ') }, ['toClient']),
  },
  {
    fault: '50 kB/s each way',
    onlyInFull: true,
    harm: (proxy) => proxy.set({ bytesPerSecond: 50_000 }),
  },
  {
    fault: 'black hole to the database',
    onlyInFull: true,
    total: true,
    harm: (proxy) => proxy.set({ blackHole: true }, ['toServer']),
  },
  {
    fault: 'black hole from the database',
    onlyInFull: true,
    total: true,
    harm: (proxy) => proxy.set({ blackHole: true }, ['toClient']),
  },
];

const postgres = usePostgres();
let store: { DATABASE_URL: string; key: string };
let proxy: Proxy;
let service: ListeningProcess;
/** The texts that all tests have sent. */
const sent = new Set<string>();

beforeAll(async () => {
  store = await createStore(postgres.server);
  proxy = await Proxy.to(store.DATABASE_URL);
  service = await startServiceProcess(
    { DATABASE_URL: proxy.rewrite(store.DATABASE_URL), ...TIMEOUTS },
    () => undefined,
  );
  return async () => {
    await service.stop('SIGKILL');
    await proxy.close();
  };
});

const FAULT_MS = rounds(6000, 1500);

test.each(FAULTS.filter(({ onlyInFull }) => !(quick && onlyInFull)))(
  'between service and database, $fault: 2xx or 503, and nothing is lost',
  async ({ fault, harm, total }) => {
    const { url } = service;
    const load = Load.start({ url, key: store.key }, { answerWithinMs: ANSWER_WITHIN_MS }, new Ledger(sent));
    await load.untilSucceeded(300);

    harm(proxy);
    if (total) await expect.poll(() => getStatus(url, 'ready')).toBe(503);
    await sleep(FAULT_MS);
    expect(await getStatus(url, 'live')).toBe(200);
    if (total) expect(await getStatus(url, 'ready')).toBe(503);
    proxy.heal();
    const recoveryMs = await load.untilHealthy(performance.now());
    expect(await getStatus(url, 'ready')).toBe(200);
    await recordLoad(`network: ${fault}`, load, store, { recoveryMs });
  },
);

describe('a create whose commit gets no confirmation', () => {
  /** Creates an animal with a key, and returns how many have its name. */
  function prepare() {
    const name = randomUUID();
    sent.add(name);
    const key = randomUUID();
    const create = (origin = service.url) =>
      fetch(`${origin}/v1/pets`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${store.key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ name, categoryId: 1 }),
      });
    const find = async () => (await readBack(store)).pets.filter((pet) => pet.name === name);
    onTestFinished(() => proxy.heal());
    return { create, find };
  }

  async function expectUnknown(answer: Response): Promise<void> {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
  }

  test('is stored if it was committed, and its retry with the same key at a later process is a replay', async () => {
    const { create, find } = prepare();
    proxy.set({ cutAt: (chunk) => chunk.indexOf('COMMIT') }, ['toClient']);
    await expectUnknown(await create());
    const [pet, ...others] = await find();
    expect(others).toEqual([]);
    const later = await startServiceProcess({ DATABASE_URL: store.DATABASE_URL });
    const retry = await create(later.url);
    expect(retry.status).toBe(201);
    expect(retry.headers.get('idempotency-replayed')).toBe('true');
    expect(BigInt(((await retry.json()) as { id: number }).id)).toBe(pet?.id);
    expect(await find()).toHaveLength(1);
  });

  test('is not stored if it was never committed, and its retry with the same key adds one animal', async () => {
    const { create, find } = prepare();
    proxy.set({ cutAt: (chunk) => chunk.indexOf('COMMIT') }, ['toServer']);
    await expectUnknown(await create());
    proxy.heal();
    expect(await find()).toEqual([]);
    const retry = await create();
    expect(retry.status).toBe(201);
    expect(retry.headers.has('idempotency-replayed')).toBe(false);
    expect(await find()).toHaveLength(1);
  });
});

test('the service has logged no error on stderr, and stops', async () => {
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
});
