import { existsSync } from 'node:fs';
import { chmod, mkdtemp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { PGlite } from '@electric-sql/pglite';
import type { DataSource } from 'typeorm';
import { beforeAll, beforeEach, expect, inject, test } from 'vitest';

import { createDatabase, createDatabaseForTest, openDataSource, runSql } from '../support/database.ts';
import { spawnService } from '../support/process.ts';

/** A migrated embedded database, without the service. */
let dataSource: DataSource;
beforeAll(async () => {
  const database = await createDatabase();
  dataSource = await openDataSource(database.environment);
  return async () => {
    await dataSource.destroy();
    await database.drop();
  };
});
beforeEach(() => dataSource.query('DELETE FROM account'));

const modesOf = (DATA_DIR: string) =>
  Promise.all(
    ['pgdata', 'petstore.lock'].map(async (path) => (await stat(join(DATA_DIR, path))).mode & 0o777),
  );

test('a new database has the settings and catalogs that initdb creates', async () => {
  const newDirectory = () => mkdtemp(join(inject('runDirectory'), 'new-'));
  const contents = (DATA_DIR: string) =>
    runSql(
      { environment: { DATA_DIR } },
      `SELECT
        (SELECT json_object_agg(name, setting) FROM pg_settings WHERE name <> 'log_timezone') AS settings,
        (SELECT json_agg(d ORDER BY d.datname) FROM (SELECT datname, datcollate, encoding, datacl FROM pg_database) d) AS databases,
        (SELECT json_agg(r ORDER BY r.rolname) FROM (SELECT rolname, rolsuper, rolconfig FROM pg_roles) r) AS roles,
        (SELECT json_agg(c ORDER BY c.relname) FROM (SELECT relname, relkind, relnatts FROM pg_class) c) AS tables,
        (SELECT md5(string_agg(p::text, '' ORDER BY oid)) FROM pg_proc p) AS functions,
        (SELECT md5(string_agg(t::text, '' ORDER BY oid)) FROM pg_type t) AS types,
        (SELECT md5(string_agg(c::text, '' ORDER BY oid)) FROM pg_collation c) AS collations,
        (SELECT catalog_version_no FROM pg_control_system()) AS version`,
    );
  const packaged = await contents(await newDirectory());
  const initialised = await newDirectory();
  await (await PGlite.create({ dataDir: join(initialised, 'pgdata') })).close();
  expect(packaged).toEqual(await contents(initialised));
  // On a busy machine, initdb takes more than a minute.
}, 180_000);

test('a start completes the new database of a process that was killed while it wrote the files', async () => {
  const DATA_DIR = await mkdtemp(join(inject('runDirectory'), 'killed-'));
  const killed = spawnService({ DATA_DIR });
  await expect.poll(() => existsSync(join(DATA_DIR, 'pgdata/global')), { interval: 1 }).toBe(true);
  killed.signal('SIGKILL');
  await killed.exit;
  expect(existsSync(join(DATA_DIR, 'pgdata/PG_VERSION'))).toBe(false);
  await chmod(DATA_DIR, 0o777);
  expect(await runSql({ environment: { DATA_DIR } }, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await modesOf(DATA_DIR)).toEqual([0o700, 0o600]);
});

test('only their owner can enter the directory of the files and open the lock file, even if everybody can enter DATA_DIR', async () => {
  const { environment } = await createDatabaseForTest();
  const { DATA_DIR = '' } = environment;
  const modes = { '.': 0o777, pgdata: 0o755, 'petstore.lock': 0o644 };
  for (const [path, mode] of Object.entries(modes)) await chmod(join(DATA_DIR, path), mode);
  await runSql({ environment }, 'SELECT 1');
  expect(await modesOf(DATA_DIR)).toEqual([0o700, 0o600]);
});

test('the responses to statements do not stay in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const liveBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = liveBytes();
  for (let statement = 0; statement < 30; statement++) await dataSource.query(`SELECT repeat('x', 1000000)`);
  expect(liveBytes() - before).toBeLessThan(10_000_000);
});

test('a transaction is never touched by the commit or rollback of another', async () => {
  const insert = (name: string) => [`INSERT INTO account (name) VALUES ($1)`, [name]] as const;
  const count = async () =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM account ORDER BY name')).map(
      ({ name }) => name,
    );
  const log: string[] = [];
  const undone = dataSource.transaction(async (manager) => {
    await manager.query(...insert('undone'));
    log.push('first: inserted');
    await new Promise(setImmediate);
    log.push('first: rolls back');
    throw new Error('rolled back');
  });
  const done = dataSource.transaction(async (manager) => {
    await manager.query(...insert('done'));
    log.push('second: inserted');
    await new Promise(setImmediate);
    log.push('second: commits');
  });
  const seen = count();
  await expect(undone).rejects.toThrow('rolled back');
  await done;
  expect(await seen).not.toContain('undone');
  expect(await count()).toEqual(['done']);
  expect(log).toEqual(['first: inserted', 'first: rolls back', 'second: inserted', 'second: commits']);
});

test('a query waits for the transaction before it, and sees nothing that is not committed', async () => {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(`INSERT INTO account (name) VALUES ('half done')`);
  let answered = false;
  const other = dataSource.query<object[]>('SELECT name FROM account').finally(() => (answered = true));
  // The session answers its holder three times, and no other caller.
  for (let turn = 0; turn < 3; turn++) await runner.query('SELECT 1');
  expect(answered).toBe(false);
  await runner.rollbackTransaction();
  await runner.release();
  expect(await other).toEqual([]);
});
