import { setTimeout as sleep } from 'node:timers/promises';

import { Controller, Module, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PinoLogger } from 'nestjs-pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { type Caller, CurrentCaller } from '#src/auth/callers/caller.decorator';
import { Replicas } from '#src/database/replicas';
import { Unavailable } from '#src/domain/errors';
import { ListPetsQuery } from '#src/pets/pet.dto';
import { PetsService } from '#src/pets/pets.service';

import type { Client } from '../support/client.ts';
import { type Postgres, postgresIsInstalled, startPostgres, startStandby } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { FEATURES } from '../support/root.ts';
import { type Service, startService } from '../support/service.ts';
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

/** Returns the names of the animals after an id. */
async function namesOf(client: Client, after = 0n): Promise<string[]> {
  const { status, body } = await client.get(`/v1/pets?limit=100&after=${after}`);
  expect(status).toBe(200);
  return (body as { name: string }[]).map(({ name }) => name);
}

async function create(client: Client, name: string, headers = {}): Promise<{ id: bigint }> {
  const { status, body } = await client.post('/v1/pets', { name, categoryId: 1 }, { headers });
  expect(status).toBe(201);
  return body as { id: bigint };
}

/** Stops the replay of the standby until the end of the test, or until the returned function is called. */
async function stopReplay(): Promise<() => Promise<unknown>> {
  const goOn = () => query(standby.url, 'SELECT pg_wal_replay_resume()');
  await query(standby.url, 'SELECT pg_wal_replay_pause()');
  onTestFinished(() => goOn().then(() => undefined));
  return goOn;
}

@Controller()
class WritesController {
  constructor(private readonly pets: PetsService) {}

  /** Adds an animal, lists it, answers, and does not end. */
  @Post('v1/writes')
  async write(@CurrentCaller() { account }: Caller, @Res() response: Response): Promise<void> {
    const { id } = await this.pets.create(account.id, { name: 'mine', categoryId: 1n });
    const page = Object.assign(new ListPetsQuery(), { after: id - 1n });
    const { items } = await this.pets.list(account.id, page);
    response.status(items.length === 1 ? 201 : 500).end();
    await new Promise(() => undefined);
  }
}

@Module({ controllers: [WritesController] })
class WritesModule {}

/** Starts a service on an empty database. */
async function start(environment: NodeJS.ProcessEnv = {}) {
  await query(primary.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const service = await startService(
    { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: standby.url, ...environment },
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

  describe('however far it lags, and with synchronous_commit = off', () => {
    let service: Omit<Service, 'client'>;
    let client: Client;
    let other: Client;
    beforeAll(async () => {
      const url = new URL(primary.url);
      url.searchParams.set('options', '-c synchronous_commit=off');
      ({ client, other, ...service } = await start({ ...ANY_LAG, DATABASE_URL: url.href }));
    });
    afterAll(() => service.stop());

    /** Creates an animal, and waits until the standby contains it. Returns its id. */
    async function createEarly(): Promise<bigint> {
      const { id } = await create(client, 'early');
      const isReplayed = async () =>
        (await query(standby.url, `SELECT FROM pet WHERE id = ${id}`)).length === 1;
      await expect.poll(isReplayed).toBe(true);
      await untilReadOnStandby(other);
      return id;
    }

    test('the standby serves lists, and the primary serves gets', async () => {
      const early = await createEarly();
      const goOn = await stopReplay();
      const { id } = await create(client, 'late');
      expect(await namesOf(other, early - 1n)).toEqual(['early']);
      expect((await other.get('/v1/pets?status=sold')).body).toEqual([]);
      expect((await other.get(`/v1/pets/${id}`)).body).toMatchObject({ name: 'late' });
      await goOn();
      await expect.poll(() => namesOf(other, early - 1n)).toEqual(['early', 'late']);
    });

    test('the lists of an account contain its writes', async () => {
      const early = await createEarly();
      const goOn = await stopReplay();
      await create(client, 'mine');
      await create(client, 'mine, keyed', { 'idempotency-key': 'a-key' });
      const all = ['early', 'mine', 'mine, keyed'];
      expect(await namesOf(client, early - 1n)).toEqual(all);
      expect(await namesOf(other, early - 1n)).toEqual(['early']);
      const order = await other.post('/v1/store/orders', { petId: early });
      expect((await other.get('/v1/store/orders')).body).toEqual([order.body]);
      expect(await namesOf(other, early - 1n)).toEqual(all);
      await goOn();
      await untilReadOnStandby(client);
      expect(await namesOf(client, early - 1n)).toEqual(all);
    });

    test('the lists of an account contain the writes of a handler of a team, inside it and after its response', async () => {
      const early = await createEarly();
      await stopReplay();
      const writer = await service.clientOf('writer');
      expect((await writer.post('/v1/writes', {})).status).toBe(201);
      expect(await namesOf(writer, early)).toEqual(['mine']);
    });

    test('accounts that add animals find each in all their next lists, while the standby serves lists', async () => {
      const live = async (number: number) => {
        const writer = await service.clientOf(`writer ${number}`);
        for (let round = 0; round < 5; round++) {
          const { id } = await create(writer, `${number}.${round}`);
          // The primary writes its log up to 600 ms after it has acknowledged the animal.
          const deadline = performance.now() + 600;
          while (performance.now() < deadline) {
            expect((await namesOf(writer, id - 1n))[0]).toBe(`${number}.${round}`);
            expect((await other.get('/v1/pets')).status).toBe(200);
            await sleep(20);
          }
          // The server reports only the last statement of a connection, which may not be a list.
          last = Math.max(last, await lastListOn(standby));
        }
      };
      await untilReadOnStandby(other);
      const before = await lastListOn(standby);
      let last = before;
      await Promise.all(Array.from({ length: 10 }, (_, number) => live(number)));
      expect(last).toBeGreaterThan(before);
    });

    test('reads that a busy standby cannot serve in time are rejected, and do not move to the primary', async () => {
      await untilReadOnStandby(other);
      const slow = { name: 'slow', text: 'SELECT pg_is_in_recovery() AS standby FROM pg_sleep(0.3)' };
      const reads = Array.from({ length: 100 }, () =>
        service.app.get(Replicas).read(0n, (session) => session.query(slow, [])),
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
  });

  describe('with the default limit of its lag', () => {
    let service: Omit<Service, 'client'>;
    let client: Client;
    let other: Client;
    beforeAll(async () => {
      ({ client, other, ...service } = await start());
    });
    afterAll(() => service.stop());

    const lag = async () => {
      const metric = service.app.get(Registry).getSingleMetric('petstore_replica_lag_seconds');
      return (await metric?.get())?.values[0]?.value ?? NaN;
    };

    test('a standby that lags too far is not used, until it has caught up', async () => {
      await untilReadOnStandby(other);
      await expect.poll(lag).toBeLessThan(1);
      const goOn = await stopReplay();
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

    test('the metric of a standby that always lags too far does not grow forever', async () => {
      const setDelay = (delay: string) =>
        query(standby.url, `ALTER SYSTEM SET recovery_min_apply_delay = '${delay}'`).then(() =>
          query(standby.url, 'SELECT pg_reload_conf()'),
        );
      await setDelay('1500ms');
      onTestFinished(() => setDelay('0').then(() => undefined));
      let [isOver, highest] = [false, 0];
      const write = async () => {
        while (!isOver) await create(client, 'delayed').then(() => sleep(50));
      };
      const writing = write();
      const hasFallen = async () => {
        const seconds = await lag();
        highest = Math.max(highest, seconds);
        return seconds < highest - 1;
      };
      try {
        await expect.poll(hasFallen).toBe(true);
      } finally {
        isOver = true;
        await writing;
      }
    });

    test('no list fails while the standby is stopped, and the standby serves lists again after its restart', async () => {
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

    test('a standby that hangs delays lists by no more than the limit, and is then not used', async () => {
      await untilReadOnStandby(other);
      const backends = await query<{ pid: number }>(
        standby.url,
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'`,
      );
      const pids = [...backends.map(({ pid }) => pid), standby.pid()];
      signal(pids, 'SIGSTOP');
      try {
        for (let read = 0; read < 20; read++) await namesOf(other);
        await expect.poll(lag).toBe(Infinity);
      } finally {
        signal(pids, 'SIGCONT');
      }
      await untilReadOnStandby(other);
    });

    test('a stopped service has no connections to the standby, and can be stopped again', async () => {
      await untilReadOnStandby(other);
      await service.app.close();
      const connections = `SELECT FROM pg_stat_activity WHERE application_name = 'petstore'`;
      await expect.poll(() => query(standby.url, connections)).toEqual([]);
      await service.app.close();
    });
  });

  test('a service starts while its standby is unavailable, logs the reason once, and uses the standby later', async () => {
    const warn = vi.spyOn(PinoLogger.prototype, 'warn');
    onTestFinished(() => warn.mockRestore());
    await standby.stop();
    const { client, ...service } = await start();
    onTestFinished(() => service.stop());
    await create(client, 'Kitty');
    expect(await namesOf(client)).toEqual(['Kitty']);
    await expect.poll(() => warn.mock.calls.length).toBe(1);
    await standby.start();
    await untilReadOnStandby(client);
    expect(warn.mock.calls).toEqual([
      [
        {
          replica: new URL(standby.url).host,
          err: expect.objectContaining({ code: 'ECONNREFUSED' }) as Error,
        },
        'A replica is unavailable or lags too far behind, and is not used',
      ],
    ]);
  });

  test('a promoted standby is not used', async () => {
    const promoted = await startStandby(primary, ['fsync = off']);
    onTestFinished(() => promoted.remove());
    const { client, other, ...service } = await start({ ...ANY_LAG, DATABASE_REPLICA_URLS: promoted.url });
    onTestFinished(() => service.stop());
    const isRead = async () => (await namesOf(other), (await lastListOn(promoted)) > 0);
    await expect.poll(isRead).toBe(true);
    await promoted.promote();
    await create(client, 'Kitty');
    await expect.poll(() => namesOf(other)).toEqual(['Kitty']);
    const before = await lastListOn(promoted);
    for (let read = 0; read < 20; read++) expect(await namesOf(other)).toEqual(['Kitty']);
    expect(await lastListOn(promoted)).toBeLessThanOrEqual(before);
  });
});
