import { DISTRIBUTIONS } from '#src/commands/distribute.command';
import { distribute } from '#src/database/citus/distribute';

import { openDataSource } from '../../support/database.ts';
import { createKey } from '../../support/key.ts';
import type { Postgres } from '../../support/postgres.ts';
import { query } from '../../support/query.ts';

/** How many shards each distributed table has. */
export const SHARD_COUNT = 8;

/** Migrates a database of a coordinator, creates a key in it and distributes its tables. Returns the key. */
export async function prepareDistributedStore(
  databaseUrl: string,
  shardCount = SHARD_COUNT,
): Promise<string> {
  const key = await createKey({ DATABASE_URL: databaseUrl });
  const dataSource = await openDataSource({ DATABASE_URL: databaseUrl });
  await distribute(dataSource, DISTRIBUTIONS, shardCount);
  await dataSource.destroy();
  return key;
}

/** The first ids of the animals, by the port of the worker that keeps them. */
export async function petsByWorker(databaseUrl: string): Promise<Map<string, string[]>> {
  const pets = await query<{ id: string }>(databaseUrl, 'SELECT id FROM pet ORDER BY id LIMIT 200');
  const rows = await query<{ id: string; port: number }>(
    databaseUrl,
    `SELECT pet.id, node.nodeport AS port FROM unnest('{${pets.map(({ id }) => id).join()}}'::bigint[]) AS pet (id)
     JOIN pg_dist_placement AS placement ON placement.shardid = get_shard_id_for_distribution_column('pet', pet.id)
     JOIN pg_dist_node AS node USING (groupid)`,
  );
  const byPort = Map.groupBy(rows, ({ port }) => String(port));
  return new Map([...byPort].map(([port, found]) => [port, found.map(({ id }) => id)]));
}

/** How many transactions wait on the nodes until the node that has begun them commits or aborts them. */
export async function countPrepared(nodes: readonly Postgres[]): Promise<number> {
  let count = 0;
  for (const { url } of nodes) count += (await query(url, 'SELECT FROM pg_prepared_xacts')).length;
  return count;
}

/** Returns the version of Citus. */
export async function citusVersion(coordinatorUrl: string): Promise<string> {
  const sql = `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`;
  return (await query<{ version: string }>(coordinatorUrl, sql))[0]?.version ?? 'unknown';
}
