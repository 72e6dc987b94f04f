import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { startServiceProcess } from '../support/process.ts';
import { Proxy } from './support/proxy.ts';
import { record } from './support/results.ts';
import { createStore, usePostgres } from './support/store.ts';

const postgres = usePostgres();

const REPLICAS = 4;

/** How long a revoked key may be accepted, by the published document. */
const REVOKED_WITHIN_MS = 5000;

test('a key that one replica revokes is rejected by all replicas within 5 seconds', async () => {
  const { DATABASE_URL, key: owner } = await createStore(postgres.server);
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, () => startServiceProcess({ DATABASE_URL })),
  );
  const urls = replicas.map(({ url }) => url);
  const { id, key } = await makeKey(urls[0] ?? '', owner);
  const watches = urls.map((url) => new KeyWatch(url, key));
  await Promise.all(watches.map((watch) => watch.untilLetIn()));
  const revokedAt = await revoke(urls[0] ?? '', owner, id);
  const outcomes = () => watches.map(({ last }) => last);
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual(urls.map(() => 401));
  await judge(
    'a key that is in use on four replicas, revoked on one, until all reject it',
    watches,
    revokedAt,
  );
});

test('a key that is revoked while the database cannot be reached by a replica is let in no longer than 5 seconds', async () => {
  const { DATABASE_URL, key: owner } = await createStore(postgres.server);
  const ways = await Promise.all([Proxy.to(DATABASE_URL), Proxy.to(DATABASE_URL)]);
  onTestFinished(async () => {
    for (const way of ways) await way.close();
  });
  const [revoker, ...cutOff] = await Promise.all([
    startServiceProcess({ DATABASE_URL }),
    ...ways.map((way) =>
      startServiceProcess({
        DATABASE_URL: way.rewrite(DATABASE_URL),
        DATABASE_CONNECT_TIMEOUT_MS: '1000',
        DATABASE_QUERY_TIMEOUT_MS: '1000',
      }),
    ),
  ]);
  const { id, key } = await makeKey(revoker.url, owner);
  const watches = cutOff.map(({ url }) => new KeyWatch(url, key));
  await Promise.all(watches.map((watch) => watch.untilLetIn()));
  const [blackHole, stopped] = ways;
  blackHole.set({ blackHole: true });
  stopped.reset();
  const revokedAt = await revoke(revoker.url, owner, id);
  const outcomes = () => watches.map(({ last }) => last);
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual([503, 503]);
  for (const way of ways) way.heal();
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual([401, 401]);
  for (const [index, fault] of ['is a black hole', 'is stopped'].entries()) {
    const what = `a key, revoked while the database ${fault} for a replica that has cached it, until it is rejected`;
    await judge(what, watches.slice(index, index + 1), revokedAt);
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
    await expect.poll(() => this.last, { timeout: 20_000 }).toBe(400);
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
async function judge(fault: string, watches: KeyWatch[], revokedAt: number): Promise<void> {
  const lastLetIn = await Promise.all(watches.map((watch) => watch.stop()));
  const letInMs = Math.max(...lastLetIn) - revokedAt;
  const requests = watches.reduce((total, watch) => total + watch.requests, 0);
  record(
    {
      fault,
      requestsPerSecond: requests / ((performance.now() - revokedAt) / 1000),
      requests,
      acknowledged: 0,
      lost: 0,
      wrong: letInMs < REVOKED_WITHIN_MS ? 0 : 1,
      unknown: 0,
      slowestMs: Math.round(Math.max(...watches.map((watch) => watch.slowestMs))),
      recoveryMs: letInMs,
    },
    postgres.version,
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
