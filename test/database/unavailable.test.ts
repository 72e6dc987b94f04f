import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { Database } from '#src/database/database';

import { Proxy } from '../faults/support/proxy.ts';
import type { Answer, Client } from '../support/client.ts';
import { onCitus, onPostgres, openDataSource } from '../support/database.ts';
import { keyed } from '../support/idempotency.ts';
import { freePort, type Postgres, postgresIsInstalled, startPostgres } from '../support/postgres.ts';
import { childrenOf } from '../support/proc.ts';
import { spawnService } from '../support/process.ts';
import { query } from '../support/query.ts';
import {
  errorOfStart,
  type Service,
  startService,
  startServiceForTest,
  useService,
} from '../support/service.ts';
import { signal } from '../support/signal.ts';

/** Every operation that uses the database, and a valid request of it. */
const OPERATIONS = [
  ['GET', '/v1/pets', undefined],
  ['GET', '/v1/pets?status=sold', undefined],
  ['POST', '/v1/pets', { name: 'Kitty', categoryId: 1 }],
  ['GET', '/v1/pets/1', undefined],
  ['GET', '/v1/store/orders', undefined],
  ['POST', '/v1/store/orders', { petId: 1 }],
  ['POST', '/v1/messages', { message: 'hello' }],
  ['GET', '/keys', undefined],
  ['POST', '/keys', { label: 'laptop' }],
  ['DELETE', '/keys/1', undefined],
  ['GET', '/health/ready', undefined],
] as const;

const MESSAGE = 'The service cannot answer at the moment. Try again shortly.';
const NOT_READY = 'The service is not ready. These checks fail: database.';

function expectUnavailable(answer: Answer, message = MESSAGE): void {
  expect(answer.status).toBe(503);
  expect(answer.text).toBe(JSON.stringify({ code: 'unavailable', message, status: 503 }));
  expect(answer.headers.get('retry-after')).toBe('1');
}

async function expectAllUnavailable(client: Client): Promise<void> {
  await Promise.all(
    OPERATIONS.map(async ([method, path, json]) =>
      expectUnavailable(
        await client.send(method, path, { json }),
        path === '/health/ready' ? NOT_READY : MESSAGE,
      ),
    ),
  );
}

/** Uses the only connection of a service until `release` is called. */
async function useConnection({ app, client }: Service) {
  // The service reads the key while the connection is free.
  expect((await client.get('/v1/store/orders')).status).toBe(200);
  const runner = app.get(DataSource).createQueryRunner();
  await runner.startTransaction();
  const release = async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
  return { client, database: app.get(Database), release };
}

async function expectToRecover(client: Client): Promise<void> {
  await expect.poll(async () => (await client.get('/health/ready')).status).toBe(200);
  await expect.poll(async () => (await client.get('/v1/pets')).status).toBe(200);
}

// Citus does not create triggers on distributed tables.
test.skipIf(onCitus())('a request gets 503 while the disk of the database fails', async () => {
  const { app, client } = await startServiceForTest();
  const database = app.get(DataSource);
  // PostgreSQL reports this SQLSTATE, io_error, when the disk fails.
  await database.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not write block 0: Input/output error' USING ERRCODE = '58030'; END $$`,
  );
  await database.query('CREATE TRIGGER fail BEFORE INSERT ON pet EXECUTE FUNCTION fail()');
  const create = () => client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
  expectUnavailable(await create());
  await database.query('DROP FUNCTION fail CASCADE');
  expect((await create()).status).toBe(201);
});

test('concurrent requests before the connections are open are all served', async () => {
  const { client } = await startServiceForTest({ DATABASE_POOL_SIZE: '4' });
  const answers = await Promise.all(Array.from({ length: 60 }, () => client.get('/v1/store/orders')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

// Citus needs more than one connection.
describe.skipIf(onCitus())('while no connection is free', () => {
  test('a request that gets no connection in time gets 503, and the next one is served', async () => {
    const { client, release } = await useConnection(
      await startServiceForTest({ DATABASE_POOL_SIZE: '1', DATABASE_CONNECT_TIMEOUT_MS: '300' }),
    );
    try {
      await expectAllUnavailable(client);
      expect((await client.get('/health/live')).status).toBe(200);
    } finally {
      await release();
    }
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  const service = useService({ DATABASE_POOL_SIZE: '1', DATABASE_CONNECT_TIMEOUT_MS: '50000' });

  test('concurrent readiness checks use one connection', async () => {
    const { client, database, release } = await useConnection(service);
    const checks = Array.from({ length: 20 }, () => database.ping());
    expect(database.load.waitingForConnection).toBe(1);
    await release();
    await Promise.all(checks);
    expect((await client.get('/health/ready')).status).toBe(200);
  });

  test('a request whose expected wait is too long gets 503 at once', async () => {
    const { client, release } = await useConnection(service);
    const first = client.get('/v1/store/orders');
    const answers: Answer[] = [];
    const later = new Set<Promise<unknown>>();
    await expect
      .poll(() => {
        later.add(client.get('/v1/store/orders').then((answer) => answers.push(answer)));
        return answers.length;
      })
      .toBeGreaterThan(0);
    for (const answer of answers) expectUnavailable(answer);
    await release();
    expect((await first).status).toBe(200);
    await Promise.all(later);
    await expectToRecover(client);
  });

  test('long bodies of requests with an Idempotency-Key wait up to 4 MiB of text of an account', async () => {
    const { client, database, release } = await useConnection(service);
    const json = { message: 'x'.repeat(200 * 1024) };
    const answers: Answer[] = [];
    const requests = Array.from({ length: 60 }, async (_, index) => {
      answers.push(
        await client.post('/v1/messages', json, { headers: { 'Idempotency-Key': `key-${index}` } }),
      );
    });
    // One of them has its turn.
    const waiting = () => database.load.waitingForTurn;
    await expect.poll(() => answers.length > 0 || waiting() === requests.length - 1).toBe(true);
    expect(waiting()).toBeLessThan(30);
    await release();
    await Promise.all(requests);
    for (const answer of answers) if (answer.status !== 202) expectUnavailable(answer);
  });
});

/** Returns the processes that serve the connections of the service. */
async function backendsOf({ url }: Postgres): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    url,
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'`,
  );
  return rows.map(({ pid }) => pid);
}

// On PostgreSQL, these tests would only run again.
describe.skipIf(!postgresIsInstalled() || onPostgres())('with a PostgreSQL of its own', () => {
  const TIMEOUTS = {
    DATABASE_CONNECT_TIMEOUT_MS: '1000',
    DATABASE_QUERY_TIMEOUT_MS: '1000',
    DATABASE_LOCK_TIMEOUT_MS: '60000',
  };

  let postgres: Postgres;
  let service: Service;
  beforeAll(async () => {
    postgres = await startPostgres(['fsync = off']);
    service = await startService({ DATABASE_URL: postgres.url, ...TIMEOUTS });
  });
  afterAll(async () => {
    await service.stop();
    await postgres.remove();
  });

  test('while the database is stopped, every operation answers 503, and recovers afterwards', async () => {
    const { client } = service;
    await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    for (const mode of ['immediate', 'fast'] as const) {
      await postgres.stop(mode);
      await expectAllUnavailable(client);
      expect((await client.get('/health/live')).status).toBe(200);
      await postgres.start();
      await expectToRecover(client);
    }
    expect((await client.get('/v1/pets')).body).toMatchObject([{ name: 'Kitty' }]);
  });

  test('while the database hangs, every operation answers 503 in time, and recovers afterwards', async () => {
    const { client } = service;
    expect((await client.get('/v1/pets')).status).toBe(200);
    const processes = [...(await backendsOf(postgres)), postgres.pid()];
    signal(processes, 'SIGSTOP');
    try {
      await expectAllUnavailable(client);
      expect((await client.get('/health/live')).status).toBe(200);
    } finally {
      signal(processes, 'SIGCONT');
    }
    await expectToRecover(client);
  });

  test('connections that hang while they are idle fail requests only until the first of them has timed out', async () => {
    const { client } = service;
    const orders = () => client.get('/v1/store/orders');
    await Promise.all(Array.from({ length: 20 }, orders));
    const backends = await backendsOf(postgres);
    expect(backends.length).toBeGreaterThan(2);
    signal(backends, 'SIGSTOP');
    try {
      expectUnavailable(await orders());
      expect((await orders()).status).toBe(200);
    } finally {
      signal(backends, 'SIGCONT');
    }
  });

  test('a database that hangs right behind the error of a statement does not hold the request', async () => {
    const proxy = await Proxy.to(postgres.url);
    onTestFinished(() => proxy.close());
    const { client } = await startServiceForTest({
      DATABASE_URL: proxy.rewrite(postgres.url),
      DATABASE_LOCK_TIMEOUT_MS: '100',
    });
    const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    const order = () =>
      client.post('/v1/store/orders', { petId: (body as { id: bigint }).id }, keyed('order-1'));
    const holder = new pg.Client(postgres.url);
    await holder.connect();
    const stopped: number[] = [];
    try {
      await holder.query('BEGIN; LOCK TABLE store_order');
      // The last message of the answer, ReadyForQuery, does not arrive.
      const silentFrom = (chunk: Buffer) => {
        if (!chunk.includes('55P03')) return -1;
        stopped.push(postgres.pid(), ...childrenOf(postgres.pid()));
        signal(stopped, 'SIGSTOP');
        const end = chunk.lastIndexOf('Z');
        return end < 0 ? chunk.length : end;
      };
      proxy.set({ silentFrom }, ['toClient']);
      expectUnavailable(await order());
    } finally {
      signal(stopped, 'SIGCONT');
      await holder.end();
      proxy.heal();
    }
    expect((await order()).status).toBe(201);
  });

  test.each([
    ['a slow statement', () => Promise.resolve(service)],
    [
      'a wait for a lock',
      () => startServiceForTest({ DATABASE_URL: postgres.url, DATABASE_LOCK_TIMEOUT_MS: '300' }),
    ],
  ])('%s is cancelled by the server, and the response is 503', async (_what, start) => {
    const { client } = await start();
    const holder = new pg.Client(postgres.url);
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE pet');
      expectUnavailable(await client.get('/v1/pets'));
    } finally {
      await holder.end();
    }
    await expectToRecover(client);
  });

  test('hanging statements leave connections for batches', async () => {
    const { client } = await startServiceForTest({
      DATABASE_URL: postgres.url,
      DATABASE_POOL_SIZE: '3',
      DATABASE_QUERY_TIMEOUT_MS: '60000',
      DATABASE_LOCK_TIMEOUT_MS: '60000',
    });
    const holder = new pg.Client(postgres.url);
    await holder.connect();
    const answers: Answer[] = [];
    const asked: Promise<unknown>[] = [];
    try {
      await holder.query('BEGIN; LOCK TABLE store_order');
      for (let order = 0; order < 10; order++) {
        asked.push(client.get('/v1/store/orders').then((answer) => answers.push(answer)));
      }
      await expect.poll(() => answers.length).toBe(8);
      expect((await client.get('/v1/pets')).status).toBe(200);
      expect((await client.get('/health/ready')).status).toBe(200);
    } finally {
      await holder.end();
    }
    await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(8).fill(503), 200, 200]);
  });

  test('the server ends a transaction that was left open', async () => {
    // Without the service, whose start could take longer than the timeout.
    const dataSource = await openDataSource({
      DATABASE_URL: postgres.url,
      DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '1000',
    });
    const runner = dataSource.createQueryRunner();
    onTestFinished(async () => {
      await runner.release();
      await dataSource.destroy();
    });
    await runner.startTransaction();
    const open = () =>
      query(
        postgres.url,
        `SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND state = 'idle in transaction'`,
      );
    expect(await open()).toHaveLength(1);
    await expect.poll(open).toEqual([]);
  });

  test('a start with an unknown database fails with one line', async () => {
    const line = await errorOfStart({ DATABASE_URL: postgres.url.replace(/\/postgres$/, '/nowhere') });
    expect(line).toBe('the database cannot be reached: database "nowhere" does not exist');
  });

  test('a start waits for the database, with one line in the log for each attempt', async () => {
    await postgres.stop();
    const service = spawnService({ DATABASE_URL: postgres.url });
    const attempts = () => service.stdout().split('The database is not available yet').length - 1;
    await expect.poll(attempts).toBeGreaterThanOrEqual(2);
    expect(service.stdout()).not.toContain('Listening on');
    await postgres.start();
    await expect.poll(service.stdout).toContain('Listening on');
  });
});

test('a start without a database fails in time, with one line that lacks the password', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const errorOn = (port: number) =>
    errorOfStart({
      DATABASE_URL: `postgres://store:pa55word@127.0.0.1:${port}/store`,
      DATABASE_CONNECT_TIMEOUT_MS: '500',
      DATABASE_START_TIMEOUT_MS: '100',
    });
  const closed = await freePort();
  expect(await errorOn(closed)).toBe(
    `the database cannot be reached: connect ECONNREFUSED 127.0.0.1:${closed}`,
  );
  expect(await errorOn((silent.address() as AddressInfo).port)).toMatch(
    /^the database cannot be reached: .*timeout$/,
  );
});
