import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { inject } from 'vitest';

import { readConfig } from '#src/config/config';
import { dataSourceOptions, openDataSource } from '#src/database/data-source';

const TEMPLATE = 'petstore_test_template';

/** A database of a test's own, and the environment that makes the service use it. */
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

/** Whether the tests run on PostgreSQL, rather than on the embedded database. */
export const onPostgres = () => inject('postgresUrl') !== '';

/** Makes a database: migrated, or empty, which is what a first start finds. */
export async function createDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `petstore_test_${randomUUID().replaceAll('-', '')}`;
  const postgresUrl = inject('postgresUrl');
  if (postgresUrl !== '') {
    await administer(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${migrated ? TEMPLATE : 'template0'}`);
    return {
      environment: environmentOf(name),
      drop: () => administer(postgresUrl, `DROP DATABASE ${name} WITH (FORCE)`),
    };
  }
  const directory = join(inject('runDirectory'), name);
  if (migrated) await cp(join(inject('runDirectory'), TEMPLATE), directory, { recursive: true });
  return { environment: { DATA_DIR: directory }, drop: () => Promise.resolve() };
}

/** Migrates the database that others are copied from; returns what removes it. */
export async function prepareTemplate(
  runDirectory: string,
  postgresUrl: string,
): Promise<() => Promise<void>> {
  const embedded = postgresUrl === '';
  if (!embedded) {
    await administer(postgresUrl, `DROP DATABASE IF EXISTS ${TEMPLATE}`);
    await administer(postgresUrl, `CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
  }
  const config = readConfig(
    // Past the pooler, which would go on holding the template open.
    embedded ? { DATA_DIR: join(runDirectory, TEMPLATE) } : { DATABASE_URL: urlOf(postgresUrl, TEMPLATE) },
  );
  await (await openDataSource(dataSourceOptions(config))).destroy();
  return () => (embedded ? Promise.resolve() : administer(postgresUrl, `DROP DATABASE ${TEMPLATE}`));
}

/** How the service reaches a database: by the pooler, where there is one, with the timeout that its role has. */
function environmentOf(database: string): TestDatabase['environment'] {
  const poolerUrl = inject('poolerUrl');
  return poolerUrl === ''
    ? { DATABASE_URL: urlOf(inject('postgresUrl'), database) }
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

async function administer(postgresUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
