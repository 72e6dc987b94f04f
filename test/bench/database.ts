import pg from 'pg';
import { DataSource } from 'typeorm';

import { createApp } from '#src/app.setup';
import { AuthService } from '#src/auth/auth.service';
import { readConfig } from '#src/config/config';

import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ANIMALS } from './scenarios.ts';

/** Where a server finds the animals, and a key that it takes. */
export interface Store {
  environment: { DATABASE_URL: string } | { DATA_DIR: string };
  key: string;
}

const SEED = `
  INSERT INTO pet (name, category_id, status)
  SELECT 'Animal ' || number, 1 + number % 20, (ARRAY['available', 'pending', 'sold', NULL])[1 + number % 4]
  FROM generate_series(1, ${ANIMALS}) AS number`;

/** PostgreSQL as it comes, durable, with the memory that a small production server would give it. */
export function startBenchPostgres(): Promise<Postgres> {
  return startPostgres(['shared_buffers = 256MB', 'max_wal_size = 4GB']);
}

/** Makes the schema, animals and a key, with the service's own means. */
export async function fillStore(environment: Store['environment'], seed = SEED): Promise<Store> {
  const app = await createApp(
    readConfig({ LOG_LEVEL: 'silent', DATABASE_QUERY_TIMEOUT_MS: '3600000', ...environment }),
  );
  try {
    const { key } = await app.get(AuthService).createKeyFor('bench', 'bench');
    await app.get(DataSource).query(seed);
    await app.get(DataSource).query('VACUUM ANALYZE');
    return { environment, key };
  } finally {
    await app.close();
  }
}

/** Brings PostgreSQL back to what it was after the seed, so that each run starts from the same. */
export async function resetStore(database: pg.Client): Promise<void> {
  await database.query(`DELETE FROM pet WHERE id > ${ANIMALS}`);
  await database.query('TRUNCATE message');
  await database.query('VACUUM ANALYZE pet');
  await database.query('CHECKPOINT');
}

/** Makes another database on the same server and returns its address. */
export async function createDatabase(server: pg.Client, postgresUrl: string, name: string): Promise<string> {
  await server.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs something with a connection of its own. */
export async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
