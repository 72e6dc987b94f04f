import pg from 'pg';
import { DataSource } from 'typeorm';

import { createApp } from '#src/create-app';
import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';

import { type Postgres, startPostgres } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { FEATURES, rootOf } from '../support/root.ts';
import { ANIMALS } from './scenarios.ts';
import { PETSTORE, Server } from './servers.ts';

/** The database of the servers, and a key that they accept. */
export interface Store {
  environment: { DATABASE_URL: string } | { DATA_DIR: string };
  key: string;
}

const SEED = `
  INSERT INTO pet (name, category_id, status)
  SELECT 'Animal ' || number, 1 + number % 20, (ARRAY['available', 'pending', 'sold', NULL])[1 + number % 4]
  FROM generate_series(1, ${ANIMALS}) AS number`;

/** The clients that create the animals. */
const CLIENTS = 64;

/** PostgreSQL with its defaults, durable, with the memory settings of a small production server. */
export function startBenchPostgres(): Promise<Postgres> {
  return startPostgres(['shared_buffers = 256MB', 'max_wal_size = 4GB']);
}

/** Creates the schema, animals and a key with the service itself. */
export async function fillStore(environment: Store['environment'], seed = SEED): Promise<Store> {
  const app = await createApp(
    rootOf(FEATURES, {
      config: readConfig({ LOG_LEVEL: 'silent', DATABASE_QUERY_TIMEOUT_MS: '3600000', ...environment }),
    }),
  );
  try {
    const { key } = await app.get(KeysService).createFor('bench', 'bench');
    await app.get(DataSource).query(seed);
    await app.get(DataSource).query('VACUUM ANALYZE');
    return { environment, key };
  } finally {
    await app.close();
  }
}

/** Starts the service as its users do, on an empty database that it migrates, with a new key and no animals. */
export async function startOnEmpty(environment: Store['environment']): Promise<Server> {
  const server = await Server.start(PETSTORE, { environment, key: '' });
  server.key = await createKey(server);
  return server;
}

/** Creates a key like a visitor, because the embedded database has one process. */
export async function createKey({ url }: Server): Promise<string> {
  const response = await fetch(`${url}/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  return ((await response.json()) as { key: string }).key;
}

const STATUSES = ['available', 'pending', 'sold', undefined];

/** Creates the animals through the service, as 64 clients at a time. */
export async function createAnimals({ url, headers }: Server): Promise<void> {
  const create = async (number: number) => {
    const pet = { name: `Animal ${number}`, categoryId: 1 + (number % 20), status: STATUSES[number % 4] };
    const response = await fetch(`${url}/v1/pets`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(pet),
    });
    if (response.status !== 201) throw new Error(`a create was answered with ${response.status}`);
    await response.text();
  };
  const client = async (first: number) => {
    for (let number = first; number < ANIMALS; number += CLIENTS) await create(number);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
}

/** Restores the state after the seed, so that each run starts with the same data. */
export async function resetStore(database: pg.Client): Promise<void> {
  await database.query(`DELETE FROM pet WHERE id > ${ANIMALS}`);
  await database.query('TRUNCATE message');
  await database.query('VACUUM ANALYZE pet');
  await database.query('CHECKPOINT');
}

/** Creates another database on the same server, and returns its URL. */
export async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  await query(postgresUrl, `CREATE DATABASE ${name}`);
  return new URL(`/${name}`, postgresUrl).href;
}

/** Runs work with a separate connection. */
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
