import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll } from 'vitest';

import { openDataSource } from '../../support/database.ts';
import { createKey } from '../../support/key.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { query } from '../../support/query.ts';
import type { StoredMessage, StoredOrder, StoredPet } from './ledger.ts';

/** The variables with which the service uses a database. */
export type StoreEnvironment = { DATABASE_URL: string } | { DATA_DIR: string };

/**
 * A durable PostgreSQL with default settings for a test file. Call this outside of tests; the server is removed at the
 * end.
 */
export function usePostgres(): { server: Postgres } {
  const postgres = {} as { server: Postgres };
  beforeAll(async () => {
    postgres.server = await startPostgres();
  });
  afterAll(() => postgres.server.remove());
  return postgres;
}

/** Creates a migrated database on a server, with a key. */
export async function createStore({ url }: Postgres): Promise<{ DATABASE_URL: string; key: string }> {
  const name = `faults_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE DATABASE ${name}`);
  const DATABASE_URL = new URL(`/${name}`, url).href;
  return { DATABASE_URL, key: await createKey({ DATABASE_URL }) };
}

/** All stored rows. */
export interface Rows {
  pets: StoredPet[];
  orders: StoredOrder[];
  messages: StoredMessage[];
  /** The idempotency keys. */
  keys: string[];
}

type Text<Row> = Record<keyof Row, string>;

/** Reads all rows without the service. The embedded database must be closed. */
export async function readBack(environment: StoreEnvironment): Promise<Rows> {
  const dataSource = await openDataSource({ ...environment, DATABASE_QUERY_TIMEOUT_MS: '60000' });
  try {
    // pg returns int8 as a string.
    const pets: Text<StoredPet>[] = await dataSource.query(
      'SELECT id, name, category_id AS "categoryId" FROM pet',
    );
    const orders: Text<StoredOrder>[] = await dataSource.query(
      'SELECT id, pet_id AS "petId" FROM store_order',
    );
    const keys: { key: string }[] = await dataSource.query('SELECT key FROM idempotency_key');
    return {
      pets: pets.map((pet) => ({ ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) })),
      orders: orders.map(({ id, petId }) => ({ id: BigInt(id), petId: BigInt(petId) })),
      messages: await dataSource.query('SELECT id, message FROM message'),
      keys: keys.map(({ key }) => key),
    };
  } finally {
    await dataSource.destroy();
  }
}
