import { Controller, Module, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { type Caller, CurrentCaller } from '#src/auth/callers/caller.decorator';
import { Database } from '#src/database/database';
import { Replicas } from '#src/database/replicas';
import { Unavailable } from '#src/domain/errors';
import { ListPetsQuery } from '#src/pets/pet.dto';
import { PetsService } from '#src/pets/pets.service';

import type { Client } from '../support/client.ts';
import { startServiceProcess } from '../support/process.ts';
import {
  freePort,
  type Postgres,
  postgresIsInstalled,
  startPostgres,
  startStandby,
} from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { FEATURES } from '../support/root.ts';
import { startServiceForTest } from '../support/service.ts';
import { signal } from '../support/signal.ts';

/** Longer than any test, so that a standby without replication still serves lists. */
const ANY_LAG = { DATABASE_REPLICA_MAX_LAG_MS: '600000' };

let primary: Postgres;
let standby: Postgres;

/** Returns the time of the last list on a server, by its clock. */
async function lastListOn(server: Postgres): Promise<number> {
  const [row] = await query<{ at: number }>(
    server.url,
    `SELECT coalesce(max(extract(epoch FROM query_start)), 0)::float8 AS at FROM pg_stat_activity
     WHERE application_name = 'petstore' AND query ~ 'FROM (pet|store_order)'`,
  );
  return row?.at ?? 0;
}

/** Lists repeatedly until the standby serves a list. */
async function untilReadOnStandby(client: Client): Promise<void> {
  await expect
    .poll(async () => {
      const before = await lastListOn(standby);
      expect((await client.get('/v1/pets')).status).toBe(200);
      return (await lastListOn(standby)) > before;
    })
    .toBe(true);
}

async function namesOf(client: Client): Promise<string[]> {
  const { status, body } = await client.get('/v1/pets?limit=100');
  expect(status).toBe(200);
  return (body as { name: string }[]).map(({ name }) => name);
}

async function create(client: Client, name: string): Promise<{ id: bigint }> {
  const { status, body } = await client.post('/v1/pets', { name, categoryId: 1 });
  expect(status).toBe(201);
  return body as { id: bigint };
}

async function stopReplay(): Promise<void> {
  await query(standby.url, 'SELECT pg_wal_replay_pause()');
}

async function goOn(): Promise<void> {
  await query(standby.url, 'SELECT pg_wal_replay_resume()');
}

@Controller()
class WritesController {
  constructor(private readonly pets: PetsService) {}

  /** Adds an animal, lists all, answers, and does not end. */
  @Post('v1/writes')
  async write(@CurrentCaller() { account }: Caller, @Res() response: Response): Promise<void> {
    await this.pets.create(account.id, { name: 'mine', categoryId: 1n });
    const { items } = await this.pets.list(account.id, new ListPetsQuery());
    response.status(items.length === 1 ? 201 : 500).end();
    await new Promise(() => undefined);
  }
}

@Module({ controllers: [WritesController] })
class WritesModule {}

async function startService(environment: NodeJS.ProcessEnv = {}) {
  const service = await startServiceForTest(
    {
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URLS: standby.url,
      ...environment,
    },
    [...FEATURES, WritesModule],
  );
  return { ...service, other: await service.clientOf('other') };
}

describe.skipIf(!postgresIsInstalled())('with a standby (skipped without the binaries of PostgreSQL)', () => {
  beforeAll(async () => {
    primary = await startPostgres(['fsync = off']);
    standby = await startStandby(primary, ['fsync = off']);
  });
  afterAll(async () => {
    await standby.remove();
    await primary.remove();
  });
  beforeEach(async () => {
    await query(primary.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });

  test('the standby serves lists, and the primary serves gets', async () => {
    const { client, other } = await startService(ANY_LAG);
    await create(client, 'early');
    await untilReadOnStandby(other);
    await stopReplay();
    onTestFinished(goOn);
    const { id } = await create(client, 'late');
    expect(await namesOf(other)).toEqual(['early']);
    expect((await other.get('/v1/pets?status=sold')).body).toEqual([]);
    expect((await other.get(`/v1/pets/${id}`)).body).toMatchObject({ name: 'late' });
    await goOn();
    await expect.poll(() => namesOf(other)).toEqual(['early', 'late']);
  });

  test.each([{}, { 'idempotency-key': 'a-key' }])(
    'the lists of an account contain its writes, however far the standby lags (%o)',
    async (headers) => {
      const { client, other } = await startService(ANY_LAG);
      const { id } = await create(other, 'early');
      await untilReadOnStandby(other);
      await stopReplay();
      onTestFinished(goOn);
      await client.post('/v1/pets', { name: 'mine', categoryId: 1 }, { headers });
      expect(await namesOf(client)).toEqual(['early', 'mine']);
      expect(await namesOf(other)).toEqual(['early']);
      const order = await other.post('/v1/store/orders', { petId: id });
      expect((await other.get('/v1/store/orders')).body).toEqual([order.body]);
      expect(await namesOf(other)).toEqual(['early', 'mine']);
      await goOn();
      await untilReadOnStandby(client);
      expect(await namesOf(client)).toEqual(['early', 'mine']);
    },
  );

  test('the lists of an account contain the writes of a handler of a team, inside it and after its response', async () => {
    const { client, other } = await startService(ANY_LAG);
    await untilReadOnStandby(other);
    await stopReplay();
    onTestFinished(goOn);
    expect((await client.post('/v1/writes', {})).status).toBe(201);
    expect(await namesOf(client)).toEqual(['mine']);
  });

  test('the lists of an account contain its writes with synchronous_commit = off', async () => {
    const url = new URL(primary.url);
    url.searchParams.set('options', '-c synchronous_commit=off');
    const { client, other } = await startService({ ...ANY_LAG, DATABASE_URL: url.href });
    await create(client, 'first');
    await untilReadOnStandby(other);
    for (let round = 0; round < 5; round++) {
      const { id } = await create(client, `${round}`);
      // The primary writes its log up to 600 ms after it has acknowledged the animal.
      const deadline = performance.now() + 600;
      while (performance.now() < deadline) {
        const { body } = await client.get(`/v1/pets?limit=100&after=${id - 1n}`);
        expect(body).toMatchObject([{ id, name: `${round}` }]);
      }
    }
  });

  test('in a thousand rounds, an account adds an animal and finds it in its next list, while the standby serves lists', async () => {
    const { client, other } = await startService(ANY_LAG);
    await create(client, 'first');
    await untilReadOnStandby(other);
    const before = await lastListOn(standby);
    let [last, isOver] = [before, false];
    // The server reports only the last statement of a connection, which may not be a list at the end.
    const watch = async () => {
      while (!isOver) last = Math.max(last, await lastListOn(standby));
    };
    const watching = watch();
    const live = async (number: number) => {
      for (let round = 0; round < 50; round++) {
        const { id } = await create(client, `${number}.${round}`);
        const { body } = await client.get(`/v1/pets?limit=100&after=${id - 1n}`);
        expect((body as object[])[0]).toMatchObject({ id, name: `${number}.${round}` });
        expect((await other.get('/v1/pets')).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => live(number)));
    isOver = true;
    await watching;
    expect(last).toBeGreaterThan(before);
  });

  test('a standby that lags too far is not used, until it has caught up', async () => {
    const { app, client, other } = await startService();
    const lag = async () =>
      (await app.get(Registry).getSingleMetric('petstore_replica_lag_seconds')?.get())?.values[0]?.value;
    await untilReadOnStandby(other);
    expect(await lag()).toBeLessThan(1);
    await stopReplay();
    onTestFinished(goOn);
    await create(client, 'late');
    // The limit allows this age.
    await expect.poll(() => namesOf(other)).toEqual(['late']);
    await expect.poll(lag).toBeGreaterThan(2);
    expect(await lag()).toBeLessThan(600);
    await create(client, 'later');
    expect(await namesOf(other)).toEqual(['late', 'later']);
    await goOn();
    await untilReadOnStandby(other);
    await expect.poll(lag).toBeLessThan(1);
    expect(await namesOf(other)).toEqual(['late', 'later']);
  });

  test('no list fails while the standby is stopped, and the standby serves lists again after its restart', async () => {
    const { other } = await startService();
    await untilReadOnStandby(other);
    let stopped = false;
    const reading = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!stopped) expect((await other.get('/v1/pets')).status).toBe(200);
      }),
    );
    try {
      await standby.stop('immediate');
      for (let read = 0; read < 50; read++) await namesOf(other);
      await standby.start();
      await untilReadOnStandby(other);
    } finally {
      stopped = true;
      await reading;
    }
  });

  test('a service starts while its standby is unavailable, and uses the standby later', async () => {
    await standby.stop();
    const { client } = await startService();
    await create(client, 'Kitty');
    expect(await namesOf(client)).toEqual(['Kitty']);
    await standby.start();
    await untilReadOnStandby(client);
  });

  test('a standby that hangs delays lists by no more than the limit, and is then not used', async () => {
    const { other } = await startService();
    await untilReadOnStandby(other);
    const backends = await query<{ pid: number }>(
      standby.url,
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'`,
    );
    const pids = [...backends.map(({ pid }) => pid), standby.pid()];
    signal(pids, 'SIGSTOP');
    try {
      for (let read = 0; read < 20; read++) expect(await namesOf(other)).toEqual([]);
    } finally {
      signal(pids, 'SIGCONT');
    }
    await untilReadOnStandby(other);
  });

  test('a stopped service has no connections to the standby, and can be stopped again', async () => {
    const { app, other } = await startService();
    await untilReadOnStandby(other);
    await app.close();
    const connections = `SELECT FROM pg_stat_activity WHERE application_name = 'petstore'`;
    await expect.poll(() => query(standby.url, connections)).toEqual([]);
    await app.close();
  });

  test('a list that the queue for the standby rejects fails, and the standby stays in use', async () => {
    const { app, other } = await startService(ANY_LAG);
    await untilReadOnStandby(other);
    const database = app.get(Database);
    const read = (onStandby: () => Promise<string>) =>
      app
        .get(Replicas)
        .read(0n, (session) => (session === database ? Promise.resolve('primary') : onStandby()));
    const rejected = read(() => Promise.reject(new Unavailable('too much work waits')));
    await expect(rejected).rejects.toBeInstanceOf(Unavailable);
    expect(await read(() => Promise.resolve('standby'))).toBe('standby');
  });

  test('reads that a busy standby cannot serve in time are rejected, and do not move to the primary', async () => {
    const { app, other } = await startService(ANY_LAG);
    await untilReadOnStandby(other);
    const slow = { name: 'slow', text: 'SELECT pg_is_in_recovery() AS standby FROM pg_sleep(0.3)' };
    const reads = Array.from({ length: 100 }, () =>
      app.get(Replicas).read(0n, (session) => session.query(slow, [])),
    );
    const outcomes = await Promise.allSettled(reads);
    const served = outcomes.filter(({ status }) => status === 'fulfilled');
    const rejected = outcomes.filter(({ status }) => status === 'rejected');
    expect(served.length).toBeGreaterThan(0);
    for (const outcome of served) expect(outcome).toMatchObject({ value: [{ standby: true }] });
    expect(rejected.length).toBeGreaterThan(0);
    for (const outcome of rejected)
      expect(outcome).toMatchObject({ reason: expect.any(Unavailable) as object });
  });

  test('a standby that cannot be reached is logged once, with the reason', async () => {
    const service = await startServiceProcess({
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URLS: `postgres://127.0.0.1:${await freePort()}/postgres`,
    });
    const lines = () =>
      service
        .stdout()
        .split('\n')
        .filter((line) => line.includes('is not used'));
    await expect.poll(lines).toHaveLength(1);
    expect(lines()[0]).toContain('ECONNREFUSED');
    await service.stop();
    expect(lines()).toHaveLength(1);
  });

  test('a promoted standby is not used', async () => {
    const promoted = await startStandby(primary, ['fsync = off']);
    onTestFinished(() => promoted.remove());
    const { client, other } = await startService({ ...ANY_LAG, DATABASE_REPLICA_URLS: promoted.url });
    const isRead = async () => (await namesOf(other), (await lastListOn(promoted)) > 0);
    await expect.poll(isRead).toBe(true);
    await promoted.promote();
    await create(client, 'Kitty');
    await expect.poll(() => namesOf(other)).toEqual(['Kitty']);
    const before = await lastListOn(promoted);
    for (let read = 0; read < 20; read++) expect(await namesOf(other)).toEqual(['Kitty']);
    expect(await lastListOn(promoted)).toBe(before);
  });
});
