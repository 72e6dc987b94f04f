import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { inject } from 'vitest';

import { readConfig } from '#src/config/config';
import { dataSourceOptions, openDataSource } from '#src/database/data-source';

const TEMPLATE = 'petstore_test_template';

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

/** Creates a database: migrated, or empty like at a first start. */
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

/** Migrates the template of the databases. Returns a function that removes it. */
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
    // Without the pooler, which would keep connections to the template.
    embedded ? { DATA_DIR: join(runDirectory, TEMPLATE) } : { DATABASE_URL: urlOf(postgresUrl, TEMPLATE) },
  );
  await (await openDataSource(dataSourceOptions(config))).destroy();
  return () => (embedded ? Promise.resolve() : administer(postgresUrl, `DROP DATABASE ${TEMPLATE}`));
}

/** Returns the variables for a database: behind the pooler, if there is one, with the timeouts of its role. */
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
