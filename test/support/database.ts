import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { DataSource } from 'typeorm';
import { inject, onTestFinished } from 'vitest';

import { readConfig } from '#src/config/config';
import { distribute } from '#src/database/citus/distribute';
import { createPool } from '#src/database/create-pool';
import { dataSourceOptions } from '#src/database/data-source';
import { migrate } from '#src/database/migrate/migrate';
import { DISTRIBUTIONS } from '#src/commands/distribute.command';
import { findTemplate } from '#src/testing/template';

import { closeToConnections, connectNodes } from './citus.ts';
import { query } from './query.ts';

const templateOf = (prefix: string) => `${prefix}template`;

/** The template of empty databases on Citus, in which the nodes know each other. */
const emptyTemplateOf = (prefix: string) => `${prefix}empty_template`;

/** A database, and the variables with which the service uses it. */
export interface TestDatabase {
  environment:
    | {
        DATABASE_URL: string;
        DATABASE_POOLER?: 'transaction';
        DATABASE_QUERY_TIMEOUT_MS?: string;
        DATA_DIR?: never;
      }
    | { DATA_DIR: string; DATABASE_URL?: never };
  drop(): Promise<void>;
}

/** Whether the tests run on PostgreSQL instead of the embedded database. */
export const onPostgres = () => inject('postgresUrl') !== '';

/** Whether the tests run on a distributed database, rather than on a single PostgreSQL. */
export const onCitus = () => inject('workerUrls').length > 0;

/** Creates a database: migrated, or empty like at a first start. */
export async function createDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const prefix = inject('databasePrefix');
  const name = `${prefix}${randomUUID().replaceAll('-', '')}`;
  const postgresUrl = inject('postgresUrl');
  if (postgresUrl !== '') {
    const servers = [...inject('workerUrls'), postgresUrl];
    const empty = onCitus() ? emptyTemplateOf(prefix) : 'template0';
    await administer(servers, `CREATE DATABASE ${name} TEMPLATE ${migrated ? templateOf(prefix) : empty}`);
    return {
      environment: environmentOf(name),
      drop: () => dropDatabase(servers, name),
    };
  }
  const directory = join(inject('runDirectory'), name);
  if (migrated) copyTemplate(await findTemplate(), directory);
  return {
    environment: { DATA_DIR: directory },
    drop: () => {
      if (existsSync(directory)) dropped.push(directory);
      return Promise.resolve();
    },
  };
}

/** Creates a database that is dropped at the end of the running test. */
export async function createDatabaseForTest(options?: { migrated: boolean }): Promise<TestDatabase> {
  const database = await createDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

/** The directories of dropped databases, for reuse. To create and remove their files would take longer. */
const dropped: string[] = [];

/** Returns false if an application of a failed test still has the database open. */
function isFree(directory: string): boolean {
  const lock = new DatabaseSync(join(directory, 'petstore.lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch {
    return false;
  } finally {
    lock.close();
  }
}

/** Copies a template to a directory: as a whole, or the files that differ from those of a dropped database. */
function copyTemplate(template: string, directory: string): void {
  const reused = dropped.pop();
  if (reused !== undefined && isFree(reused)) {
    renameSync(reused, directory);
    for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      if (!existsSync(join(template, path))) rmSync(join(directory, path), { recursive: true, force: true });
    }
  }
  cpSync(template, directory, { recursive: true, preserveTimestamps: true, filter: differs });
  // PGlite clears its buffers at each start. For the default of 128 MB, that takes a third of the time.
  appendFileSync(join(directory, 'pgdata', 'postgresql.auto.conf'), 'shared_buffers = 16MB\n');
}

/** A copied file that no service has written to has the time of its source. */
function differs(source: string, copy: string): boolean {
  const [from, to] = [statSync(source), statSync(copy, { throwIfNoEntry: false })];
  return from.isDirectory() || from.size !== to?.size || Math.trunc(from.mtimeMs) !== Math.trunc(to.mtimeMs);
}

/** Opens the database of an environment, without migrating it. */
export function openDataSource(environment: NodeJS.ProcessEnv): Promise<DataSource> {
  return new DataSource(dataSourceOptions(createPool(readConfig(environment)))).initialize();
}

/** Runs statements on a database that no process has open, and returns the rows of the last one. */
export async function runSql<Row>(
  { environment }: Pick<TestDatabase, 'environment'>,
  ...statements: string[]
): Promise<Row[]> {
  const dataSource = await openDataSource(environment);
  let rows: Row[] = [];
  for (const statement of statements) rows = await dataSource.query<Row[]>(statement);
  await dataSource.destroy();
  return rows;
}

/** Removes all rows, and begins with the first ids again. */
export async function emptyDatabase(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    `DO $$ BEGIN EXECUTE (
       SELECT 'TRUNCATE ' || string_agg(oid::regclass::text, ', ') || ' RESTART IDENTITY' FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migration'
     ); END $$`,
  );
}

/** Returns a hash of the columns, constraints, triggers and functions. */
export async function schemaOf(dataSource: DataSource): Promise<string> {
  const [row] = await dataSource.query<[{ hash: string }]>(
    `SELECT md5(string_agg(part, ';' ORDER BY part)) AS hash FROM (
       SELECT concat_ws(' ', relname, attname, atttypid, atttypmod, attnotnull) FROM pg_attribute
         JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
       UNION ALL SELECT concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     ) AS parts (part)`,
  );
  return row.hash;
}

/** Migrates the template of the databases of a PostgreSQL. Returns a function that removes the databases of the run. */
export async function prepareTemplate(
  postgresUrl: string,
  workerUrls: readonly string[],
  prefix: string,
): Promise<() => Promise<void>> {
  const servers = [postgresUrl, ...workerUrls];
  const isCitus = workerUrls.length > 0;
  const template = templateOf(prefix);
  const templates = isCitus ? [template, emptyTemplateOf(prefix)] : [template];
  for (const name of templates) {
    await administer(servers, `CREATE DATABASE ${name} TEMPLATE template0`);
    const [coordinator = '', ...workers] = servers.map((server) => urlOf(server, name));
    if (isCitus) await connectNodes(coordinator, workers);
  }
  // Without the pooler, which would keep connections to the template.
  await migrateTemplate({ DATABASE_URL: urlOf(postgresUrl, template) }, isCitus);
  if (isCitus) for (const name of templates) await closeToConnections(servers, name);
  return async () => {
    // Services that tests share are still connected to their databases.
    const left = await query<{ name: string }>(
      postgresUrl,
      `SELECT datname AS name FROM pg_database WHERE starts_with(datname, '${prefix}')`,
    );
    for (const { name } of left) await dropDatabase(servers.toReversed(), name);
  };
}

/** The number of shards of each distributed table. */
const SHARD_COUNT = 4;

async function migrateTemplate(environment: NodeJS.ProcessEnv, isDistributed = false): Promise<void> {
  const dataSource = await openDataSource(environment);
  await migrate(dataSource);
  if (isDistributed) await distribute(dataSource, DISTRIBUTIONS, SHARD_COUNT);
  await dataSource.destroy();
}

/** Returns the variables for a database: behind the pooler, if there is one, with the timeouts of its role. */
function environmentOf(database: string): TestDatabase['environment'] {
  const poolerUrl = inject('poolerUrl');
  return poolerUrl === ''
    ? { DATABASE_URL: urlOf(inject('entryUrl'), database) }
    : {
        DATABASE_URL: urlOf(poolerUrl, database),
        DATABASE_POOLER: 'transaction',
        DATABASE_QUERY_TIMEOUT_MS: '60000',
      };
}

function urlOf(postgresUrl: string, database: string): string {
  const url = new URL(postgresUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** @param servers the workers of Citus, and the PostgreSQL or coordinator at the end */
async function dropDatabase(servers: readonly string[], name: string): Promise<void> {
  const isCitus = servers.length > 1;
  if (isCitus) await closeToConnections(servers, name);
  const drop = () => administer(servers.toReversed(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  // Connections between the nodes of Citus can take longer to end than the server waits.
  await drop().catch((error: unknown) => (isCitus ? drop() : Promise.reject(error as Error)));
}

async function administer(serverUrls: readonly string[], sql: string): Promise<void> {
  for (const url of serverUrls) await query(url, sql);
}
