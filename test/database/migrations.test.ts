import type pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { beforeAll, expect, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createPool } from '#src/database/create-pool';
import { dataSourceOptions } from '#src/database/data-source';
import { migrate, type MigrationClass } from '#src/database/migrate/migrate';

import { createDatabase, onCitus, onPostgres, type TestDatabase } from '../support/database.ts';
import { MIGRATIONS } from '../support/migrations.ts';
import { petstore } from '../support/petstore.ts';
import { startServiceProcess } from '../support/process.ts';
import { startServiceForTest } from '../support/service.ts';

const DESCRIPTION = `
  SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default,
         identity_generation, datetime_precision
  FROM information_schema.columns WHERE table_schema = 'public'
  ORDER BY table_name, ordinal_position`;

const CONSTRAINTS = `
  SELECT conrelid::regclass::text AS table, conname AS name, contype AS type, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`;

const INDEXES = `SELECT tablename, indexname AS name, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`;

async function schemaOf(dataSource: DataSource): Promise<object> {
  const [columns, constraints, indexes] = [DESCRIPTION, CONSTRAINTS, INDEXES].map((sql) =>
    dataSource.query<object[]>(sql),
  );
  return { columns: await columns, constraints: await constraints, indexes: await indexes };
}

/** The tables, except for TypeORM's table of migrations. */
async function tablesOf(dataSource: DataSource): Promise<string[]> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration'`,
  );
  return tables.map(({ name }) => name);
}

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase({ migrated: false });
  pool = createPool(readConfig(database.environment));
  return async () => {
    await pool.end();
    await database.drop();
  };
});

/** Empties the database, and opens it with the migrations of the service or others. */
async function openEmptyDatabase(migrations?: MigrationClass[]): Promise<DataSource> {
  // On Citus, the schema cannot be dropped.
  const tables = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  for (const { name } of tables.rows) await pool.query(`DROP TABLE ${name} CASCADE`);
  return openDatabase(migrations);
}

async function openDatabase(migrations?: MigrationClass[]): Promise<DataSource> {
  return new DataSource({ ...dataSourceOptions(pool), ...(migrations && { migrations }) }).initialize();
}

test('migrations can be undone, and run again with the same result', async () => {
  const dataSource = await openEmptyDatabase();
  await migrate(dataSource);
  const schema = await schemaOf(dataSource);
  await migrate(dataSource, '0');
  const left = await tablesOf(dataSource);
  expect(left).toEqual([]);
  expect(await migrate(dataSource)).toEqual(MIGRATIONS.map((name) => `ran ${name}`));
  expect(await migrate(dataSource)).toEqual([]);
  expect(await schemaOf(dataSource)).toEqual(schema);
});

// On Citus, the primary key of an order contains the account, and its animal has no foreign key.
test.skipIf(onCitus())('the entities match the schema of the migrations', async () => {
  const dataSource = (await startServiceForTest()).app.get(DataSource);
  const entities = dataSource.entityMetadatas.map(({ tableName }) => tableName);
  // The statements of the other tables name the columns themselves.
  expect(entities.toSorted()).toEqual(['account', 'message', 'pet', 'store_order']);
  expect(dataSource.options.synchronize).toBe(false);
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

test.runIf(onPostgres())(
  'with MIGRATE_ON_START=false, the database stays unchanged, and the service is ready after a migration',
  async () => {
    await openEmptyDatabase();
    const service = await startServiceProcess({ ...database.environment, MIGRATE_ON_START: 'false' });
    const ready = async () => (await fetch(`${service.url}/health/ready`)).status;
    expect(await ready()).toBe(503);
    const outcome = await petstore(database.environment, ['migrate']);
    expect(outcome.stdout.split('\n')).toEqual([...MIGRATIONS.map((name) => `ran ${name}`), '']);
    expect(await ready()).toBe(200);
  },
);

class Works1763596800001 implements MigrationInterface {
  readonly name: string = 'Works1763596800001';
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE kept (id int)');
  }
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE kept');
  }
}

class Breaks1763596800002 implements MigrationInterface {
  readonly name = 'Breaks1763596800002';
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE half_done (id int)');
    await queryRunner.query('CREATE TABLE kept (id int)');
  }
  down = () => Promise.resolve();
}

test('a failed migration is named, is rolled back, and can run again', async () => {
  const dataSource = await openEmptyDatabase([Works1763596800001, Breaks1763596800002]);
  for (let attempt = 1; attempt <= 2; attempt++) {
    await expect(migrate(dataSource)).rejects.toThrow(
      'The migration Breaks1763596800002 failed and was rolled back: relation "kept" already exists',
    );
  }
  const tables = await tablesOf(dataSource);
  expect(tables).toEqual(['kept']);
});

class Later1763596800009 extends Works1763596800001 {
  override readonly name = 'Later1763596800009';
  override async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE later (id int)');
  }
}

test('a migration that ran after one with a later timestamp is undone without it', async () => {
  await migrate(await openEmptyDatabase([Later1763596800009]));
  const upgraded = await openDatabase([Works1763596800001, Later1763596800009]);
  expect(await migrate(upgraded)).toEqual(['ran Works1763596800001']);
  expect(await migrate(upgraded, 'Later1763596800009')).toEqual(['undid Works1763596800001']);
  expect(await tablesOf(upgraded)).toEqual(['later']);
});

class CannotBeUndone1763596800003 extends Works1763596800001 {
  override readonly name = 'CannotBeUndone1763596800003';
  override async down(queryRunner: QueryRunner): Promise<void> {
    await super.down(queryRunner);
    await super.down(queryRunner);
  }
}

test('a failed undo of a migration is named, and is rolled back', async () => {
  const dataSource = await openEmptyDatabase([CannotBeUndone1763596800003]);
  await migrate(dataSource);
  await expect(migrate(dataSource, '0')).rejects.toThrow(
    'The undo of the migration CannotBeUndone1763596800003 failed and was rolled back: table "kept" does not exist',
  );
  expect(await tablesOf(dataSource)).toEqual(['kept']);
});

const TIMEOUTS = `pg_settings
  WHERE name ~ '^(statement|lock|idle_in_transaction_session|transaction)_timeout$'`;

class RecordsTimeouts1763596800004 implements MigrationInterface {
  readonly name = 'RecordsTimeouts1763596800004';
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE timeouts AS SELECT DISTINCT setting FROM ${TIMEOUTS}`);
  }
  down = () => Promise.resolve();
}

test('a migration has no timeouts', async () => {
  const dataSource = await openEmptyDatabase([RecordsTimeouts1763596800004]);
  await dataSource.query(`SELECT set_config(name, '1h', false) FROM ${TIMEOUTS}`);
  await migrate(dataSource);
  expect(await dataSource.query('SELECT setting FROM timeouts')).toEqual([{ setting: '0' }]);
});

test.runIf(onPostgres())(
  'four replicas that start concurrently on an empty database start, and each migration runs once',
  async () => {
    const dataSource = await openEmptyDatabase();
    const holder = dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // The lock is taken, so that all four replicas compete for it.
    await holder.query(`SELECT pg_advisory_xact_lock(x'70657473746f7265'::bigint)`);
    const starting = Promise.all([
      startServiceProcess(database.environment),
      ...[1, 2, 3].map(() => startServiceForTest(database.environment)),
    ]);
    await expect.poll(() => waitingForLock(dataSource), { timeout: 50_000 }).toBe(4);
    expect(await tablesOf(dataSource)).toEqual([]);
    await holder.rollbackTransaction();
    await holder.release();
    const replicas = await starting;
    for (const { url } of replicas) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    const ran = await dataSource.query<object[]>('SELECT name FROM migration ORDER BY id');
    expect(ran).toEqual(MIGRATIONS.map((name) => ({ name })));
    expect((await replicas[0].stop()).code).toBe(0);
  },
);

async function waitingForLock(dataSource: DataSource): Promise<number> {
  const waiting = await dataSource.query<object[]>(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return waiting.length;
}
