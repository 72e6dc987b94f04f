import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { startServiceProcess } from '../support/process.ts';
import { Proxy } from './support/proxy.ts';
import { record } from './support/results.ts';
import { createStore, usePostgres } from './support/store.ts';
import { TIMEOUTS } from './support/timeouts.ts';

const postgres = usePostgres();

/** How long a revoked key may be accepted, by the published document. */
const REVOKED_WITHIN_MS = 5000;

test('a key that one replica revokes is let in by no replica after 5 seconds, whether it reaches the database or not', async () => {
  const { DATABASE_URL, key: owner } = await createStore(postgres.server);
  const ways = await Promise.all([Proxy.to(DATABASE_URL), Proxy.to(DATABASE_URL)]);
  onTestFinished(async () => {
    for (const way of ways) await way.close();
  });
  const replicas = await Promise.all([
    startServiceProcess({ DATABASE_URL }),
    startServiceProcess({ DATABASE_URL }),
    ...ways.map((way) => startServiceProcess({ DATABASE_URL: way.rewrite(DATABASE_URL), ...TIMEOUTS })),
  ]);
  const [{ url: revoker }] = replicas;
  const { id, key } = await makeKey(revoker, owner);
  const watches = replicas.map(({ url }) => new KeyWatch(url, key));
  await Promise.all(watches.map((watch) => watch.untilLetIn()));
  const [blackHole, stopped] = ways;
  blackHole.set({ blackHole: true });
  stopped.reset();
  const revokedAt = await revoke(revoker, owner, id);
  const outcomes = () => watches.map(({ last }) => last);
  await expect.poll(outcomes).toEqual([401, 401, 503, 503]);
  for (const way of ways) way.heal();
  await expect.poll(outcomes).toEqual([401, 401, 401, 401]);
  for (const [fault, own] of [
    [
      'a key that is revoked on one replica, until all that reach the database reject it',
      watches.slice(0, 2),
    ],
    ['the same on a replica whose connections to the database are a black hole', watches.slice(2, 3)],
    ['the same on a replica whose connections to the database are reset', watches.slice(3)],
  ] as const) {
    await judge(fault, own, revokedAt, DATABASE_URL);
  }
});

/** Uses a key repeatedly, with requests that a replica rejects without the database if it accepts the key. */
class KeyWatch {
  requests = 0;
  slowestMs = 0;
  /** The status of the last response. */
  last = 0;
  private lastLetInAt = 0;
  private stopped = false;
  private readonly users: Promise<void>[];

  constructor(url: string, key: string) {
    this.users = Array.from({ length: 4 }, () => this.use(`${url}/v1/pets?limit=0`, key));
  }

  async untilLetIn(): Promise<void> {
    await expect.poll(() => this.last).toBe(400);
  }

  /** Stops, and resolves with the time of the last request that was accepted. */
  async stop(): Promise<number> {
    this.stopped = true;
    await Promise.all(this.users);
    return this.lastLetInAt;
  }

  private async use(url: string, key: string): Promise<void> {
    while (!this.stopped) {
      const sentAt = performance.now();
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      this.slowestMs = Math.max(this.slowestMs, performance.now() - sentAt);
      this.requests++;
      this.last = response.status;
      expect(response.status).toBeOneOf([400, 401, 503]);
      if (response.status === 400) this.lastLetInAt = Math.max(this.lastLetInAt, sentAt);
      await sleep(10);
    }
  }
}

/** Stops the watches. No request may be accepted too late. */
async function judge(
  fault: string,
  watches: readonly KeyWatch[],
  revokedAt: number,
  databaseUrl: string,
): Promise<void> {
  const lastLetIn = await Promise.all(watches.map((watch) => watch.stop()));
  const letInMs = Math.max(...lastLetIn) - revokedAt;
  const requests = watches.reduce((total, watch) => total + watch.requests, 0);
  await record(
    {
      fault,
      requestsPerSecond: requests / ((performance.now() - revokedAt) / 1000),
      requests,
      wrong: letInMs < REVOKED_WITHIN_MS ? 0 : 1,
      slowestMs: Math.round(Math.max(...watches.map((watch) => watch.slowestMs))),
      recoveryMs: letInMs,
    },
    databaseUrl,
  );
  expect(letInMs).toBeLessThan(REVOKED_WITHIN_MS);
}

async function makeKey(url: string, owner: string): Promise<{ id: number; key: string }> {
  const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/keys`, { method: 'POST', headers, body: '{"label":"to be revoked"}' });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: number; key: string };
}

/** Revokes a key, and returns the time of the acknowledgement. */
async function revoke(url: string, owner: string, id: number): Promise<number> {
  const headers = { authorization: `Bearer ${owner}` };
  expect((await fetch(`${url}/keys/${id}`, { method: 'DELETE', headers })).status).toBe(204);
  return performance.now();
}
