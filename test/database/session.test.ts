import pg from 'pg';
import { DataSource } from 'typeorm';
import {
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
  type TestContext,
} from 'vitest';

import { readConfig } from '#src/config/config';
import { createPool } from '#src/database/create-pool';
import { dataSourceOptions } from '#src/database/data-source';
import { isDatabaseUnavailable } from '#src/database/database-unavailable';
import { Session } from '#src/database/session';
import { Transaction } from '#src/database/transaction';

import { Proxy } from '../faults/support/proxy.ts';
import { createDatabase, onPostgres } from '../support/database.ts';
import { freePort } from '../support/postgres.ts';
import { query } from '../support/query.ts';

const CONFIG = readConfig({});

/** The pool and the data source of the service on a database with a table. */
let pool: pg.Pool;
let dataSource: DataSource;
beforeAll(async () => {
  const database = await createDatabase();
  pool = createPool(readConfig(database.environment));
  dataSource = await new DataSource(dataSourceOptions(pool)).initialize();
  await dataSource.query('CREATE TABLE session_row (id int PRIMARY KEY)');
  return async () => {
    await dataSource.destroy();
    await database.drop();
  };
});
beforeEach(() => dataSource.query('TRUNCATE session_row'));
const ids = () => dataSource.query<object[]>('SELECT id FROM session_row ORDER BY id');

test('a prepared statement returns the same rows in every run, with exact bigints', async () => {
  // On a separate connection, the second run of the statement uses the prepared one.
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const session = new Session(client, CONFIG);
  const statement = {
    name: 'types',
    text: `SELECT number, 7::int AS small, nullif(text, '') AS text, number > 3 AS large,
                  timestamptz '2026-11-21 16:00:00.5+01' AS instant
           FROM unnest($1::bigint[], $2::text[]) AS one (number, text)`,
  };
  const numbers = [1n, 2n ** 53n + 1n, -(2n ** 63n)];
  const texts = ['a "quoted" \\', '', 'köttur 🐈 {,}'];
  for (let run = 0; run < 3; run++) {
    expect(await session.query(statement, [numbers, texts])).toEqual(
      numbers.map((number, index) => ({
        number,
        small: 7,
        text: texts[index] === '' ? null : texts[index],
        large: number > 3n,
        instant: new Date('2026-11-21T15:00:00.500Z'),
      })),
    );
  }
});

test.each([
  ['25P03', 'idle for too long', true],
  ['25P04', 'running for too long', true],
  ['42601', 'syntax error', false],
  // Citus reports the end of a node as an internal error.
  ['XX000', 'postmaster was shut down, exiting', true],
  ['XX000', 'server closed the connection unexpectedly', true],
  ['XX000', 'SSL SYSCALL error: EOF detected', true],
  ['XX000', 'could not commit transaction for shard 102040 on at least one active node', true],
  ['XX000', 'cache lookup failed', false],
])(
  'whether the error %s "%s" means that the database is unavailable: %s',
  async (code, message, expected) => {
    const raise = `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`;
    const error: unknown = await pool.query(raise).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(isDatabaseUnavailable(error)).toBe(expected);
  },
);

test('a statement that pg cannot send does not mean that the database is unavailable', async () => {
  const client = await pool.connect();
  onTestFinished(() => client.release());
  await client.query({ name: 'twice', text: 'SELECT 1' });
  const error: unknown = await client
    .query({ name: 'twice', text: 'SELECT 2' })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining('must be unique') as string });
  expect(isDatabaseUnavailable(error)).toBe(false);
});

test('another server that is unavailable is not the database', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: await freePort() });
  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  expect(isDatabaseUnavailable(error)).toBe(false);
});

// A pooler keeps the connection of its client.
test.skipIf(!onPostgres() || inject('poolerUrl') !== '')(
  'a connection that the server closes while it is idle is replaced',
  async () => {
    const database = await createDatabase();
    const pool = createPool(readConfig(database.environment));
    onTestFinished(async () => {
      await pool.end();
      await database.drop();
    });
    const backend = async () =>
      (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
    const first = await backend();
    await query(database.environment.DATABASE_URL ?? '', `SELECT pg_terminate_backend(${first})`);
    await expect.poll(() => pool.totalCount).toBe(0);
    expect(await backend()).not.toBe(first);
  },
);

const ADD_ROW = { name: 'row-add', text: 'INSERT INTO session_row VALUES ($1)' };
const FAIL = { name: 'fail', text: 'SELECT 1 / 0' };

test.each<[string, (transaction: Transaction) => Promise<unknown>]>([
  ['Transaction.query', (transaction) => transaction.query(FAIL, [])],
  ['its entity manager', (transaction) => transaction.manager.query(FAIL.text)],
])('a transaction fails whose work catches the error of a statement of %s', async (_, fail) => {
  const acknowledged: string[] = [];
  const run = Transaction.run(dataSource, CONFIG, async (transaction) => {
    transaction.onCommit(() => acknowledged.push('committed'));
    await transaction.query(ADD_ROW, [1]);
    await fail(transaction).catch(() => undefined);
    return 'created';
  });
  await expect(run).rejects.toThrow('the transaction was rolled back, because one of its statements failed');
  expect(acknowledged).toEqual([]);
  expect(await ids()).toEqual([]);
});

test('a transaction commits if its work rolls a failed statement back to a savepoint', async () => {
  await Transaction.run(dataSource, CONFIG, async (transaction) => {
    await transaction.query(ADD_ROW, [1]);
    const nested = transaction.manager.transaction((manager) => manager.query(FAIL.text));
    await nested.catch(() => undefined);
  });
  expect(await ids()).toEqual([{ id: 1 }]);
});

test.each<[string, (transaction: Transaction) => Promise<unknown>]>([
  ['Transaction.query', (transaction) => transaction.query(ADD_ROW, [2])],
  ['its entity manager', (transaction) => transaction.manager.query('INSERT INTO session_row VALUES (2)')],
])('a statement of %s after the end of the transaction fails and has no effect', async (_, addLater) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let late: Promise<unknown> | undefined;
  const run = Transaction.run(dataSource, CONFIG, async (transaction) => {
    await transaction.query(ADD_ROW, [1]);
    late = ended.then(() => addLater(transaction));
    throw new Error('the work failed');
  });
  await expect(run).rejects.toThrow('the work failed');
  end(undefined);
  await expect(late).rejects.toThrow();
  expect(await ids()).toEqual([]);
});

test('a transaction also ends when its work throws before it returns a promise', async () => {
  let ended: Transaction | undefined;
  const run = Transaction.run(dataSource, CONFIG, (transaction) => {
    ended = transaction;
    throw new Error('the work failed');
  });
  await expect(run).rejects.toThrow('the work failed');
  await expect(ended?.query(ADD_ROW, [1])).rejects.toThrow('the transaction has ended');
  expect(await ids()).toEqual([]);
});

/** TypeORM over a pool of connections through a proxy. Its timeout is long enough for a server on a busy machine. */
async function openThroughProxy({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const database = await createDatabase();
  const config = readConfig(database.environment);
  const proxy = await Proxy.to(config.databaseUrl ?? '');
  const databaseUrl = proxy.rewrite(config.databaseUrl ?? '');
  const pool = createPool({ ...config, databaseUrl, databaseQueryTimeoutMs: 3_000 });
  const dataSource = await new DataSource(dataSourceOptions(pool)).initialize();
  onTestFinished(async () => {
    await dataSource.destroy();
    await proxy.close();
    await database.drop();
  });
  return { dataSource, pool, silence: () => proxy.set({ blackHole: true }) };
}

describe.skipIf(!onPostgres()).concurrent('on a server that falls silent', () => {
  const statement = { name: 'one', text: 'SELECT $1' };

  test.for<[string, (transaction: Transaction) => Promise<unknown>]>([
    ['its next statement', (transaction) => transaction.query(statement, ['1'])],
    ['its commit', () => Promise.resolve()],
  ])('a transaction fails in %s, and its connection is closed', async ([, work], context) => {
    const { dataSource, pool, silence } = await openThroughProxy(context);
    const error: unknown = await Transaction.run(dataSource, CONFIG, (transaction) => {
      silence();
      return work(transaction);
    }).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await context.expect.poll(() => pool.totalCount).toBe(0);
  });

  test('a transaction that cannot roll back fails with the error of its work, and its connection is closed', async (context) => {
    const { dataSource, pool, silence } = await openThroughProxy(context);
    const work = () => {
      silence();
      return Promise.reject(new Error('work failed'));
    };
    await expect(Transaction.run(dataSource, CONFIG, work)).rejects.toThrow('work failed');
    await context.expect.poll(() => pool.totalCount).toBe(0);
  });
});
