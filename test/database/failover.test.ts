import { randomUUID } from 'node:crypto';

import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { Proxy } from '../faults/support/proxy.ts';
import type { Answer } from '../support/client.ts';
import { type Postgres, postgresIsInstalled, startPostgres, startStandby } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { startServiceForTest } from '../support/service.ts';

const KITTY = { name: 'Kitty', categoryId: 1n };
const POOL_SIZE = 4;

let postgres: Postgres;

/** Returns the processes that serve the connections of the service. */
async function findBackends(): Promise<number[]> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'`;
  return (await query<{ pid: number }>(postgres.url, sql)).map(({ pid }) => pid);
}

/** Makes the pool open all its connections as read-only. Later connections are writable. */
async function makeConnectionsReadOnly(app: NestExpressApplication): Promise<void> {
  const runners = Array.from({ length: POOL_SIZE }, () => app.get(DataSource).createQueryRunner());
  await Promise.all(runners.map((runner) => runner.connect()));
  for (const runner of runners) {
    await runner.query('SET default_transaction_read_only = on');
    await runner.release();
  }
}

function expectUnavailable(answer: Answer): void {
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ code: 'unavailable' });
  expect(answer.headers.get('retry-after')).toBe('1');
}

describe.skipIf(!postgresIsInstalled())('with a PostgreSQL of its own (skipped without its binaries)', () => {
  beforeAll(async () => {
    postgres = await startPostgres(['fsync = off']);
    return () => postgres.remove();
  });

  test.each([
    ['a create', () => ({})],
    ['a create with an Idempotency-Key', () => ({ 'idempotency-key': randomUUID() })],
  ])(
    'when %s reaches a read-only server, the response is 503, and the next request uses a new connection',
    async (_what, makeHeaders) => {
      const { app, client } = await startServiceForTest({
        DATABASE_URL: postgres.url,
        DATABASE_POOL_SIZE: String(POOL_SIZE),
      });
      // From here on the key is cached, and no expired outcomes are removed, so that the create is the first statement
      // that reaches the server.
      expect((await client.post('/v1/pets', KITTY, { headers: makeHeaders() })).status).toBe(201);
      await makeConnectionsReadOnly(app);
      const backends = await findBackends();
      expect(backends).toHaveLength(POOL_SIZE);
      const headers = makeHeaders();
      expectUnavailable(await client.post('/v1/pets', KITTY, { headers }));
      expect((await client.post('/v1/pets', KITTY, { headers })).status).toBe(201);
      const findOldBackends = async () => (await findBackends()).filter((pid) => backends.includes(pid));
      await expect.poll(findOldBackends).toEqual([]);
      expect((await client.get('/v1/pets?limit=100')).body).toContainEqual(expect.objectContaining(KITTY));
    },
  );

  test('when a write of TypeORM reaches a read-only server, it fails, and its connection is replaced', async () => {
    const { app } = await startServiceForTest({ DATABASE_URL: postgres.url, DATABASE_POOL_SIZE: '1' });
    const dataSource = app.get(DataSource);
    await dataSource.query('SET default_transaction_read_only = on');
    const write = () => dataSource.query(`INSERT INTO account (name) VALUES ('acme')`);
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    await write();
  });

  test('a standby is never read: 503 until it is promoted, and then all acknowledged writes are there', async () => {
    const proxy = await Proxy.to(postgres.url);
    const { client } = await startServiceForTest({
      DATABASE_URL: proxy.rewrite(postgres.url),
      DATABASE_CONNECT_TIMEOUT_MS: '1000',
    });
    onTestFinished(() => proxy.close());
    const standby = await startStandby(postgres, ['fsync = off']);
    onTestFinished(() => standby.remove());
    await query(postgres.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await query(postgres.url, 'SELECT pg_reload_conf()');
    await expect
      .poll(() => query(postgres.url, 'SELECT sync_state FROM pg_stat_replication'))
      .toEqual([{ sync_state: 'sync' }]);
    const { body: pet } = await client.post('/v1/pets', KITTY);
    expect(pet).toMatchObject(KITTY);
    proxy.redirect(standby.url);
    await postgres.stop('immediate');
    const operations = [
      () => client.get('/v1/pets'),
      () => client.get('/v1/pets/1'),
      () => client.post('/v1/pets', KITTY),
      () => client.get('/v1/store/orders'),
      () => client.get('/health/ready'),
    ];
    for (const operation of operations) expectUnavailable(await operation());
    await standby.promote();
    await expect.poll(async () => (await client.get('/health/ready')).status).toBe(200);
    expect((await client.get('/v1/pets?limit=100')).body).toContainEqual(pet);
    expect((await client.post('/v1/pets', KITTY)).status).toBe(201);
  });
});
