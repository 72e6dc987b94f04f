import type { DataSource, QueryRunner } from 'typeorm';

import { isDatabaseUnavailable } from '../database-unavailable.js';
import { withLock } from '../migrate/migrate.js';
import { DistributionFailed } from './distribution-failed.js';
import { FIND_CITUS } from './find-engine.js';

/** The distributed tables and their distribution columns. */
const DISTRIBUTED = [
  { name: 'pet', column: 'id' },
  { name: 'message', column: 'id' },
  { name: 'store_order', column: 'account_id' },
  { name: 'idempotency_key', column: 'account_id' },
] as const;

/** The reference table: every node has a copy. */
const REFERENCE = 'account';

/** The local table. If it had a foreign key to a reference table, Citus would restart its ids. */
const LOCAL = 'api_key';

/** The kind of a table: 'h' is distributed by hash, 't' is a reference table, null is a local table. */
type Kind = 'h' | 't' | null;

const KINDS = `
  SELECT name, to_regclass(name) IS NULL AS "isMissing",
         CASE WHEN partmethod = 'h' THEN 'h' WHEN repmodel = 't' THEN 't' END AS kind
  FROM unnest($1::text[]) AS name LEFT JOIN pg_dist_partition ON logicalrelid = to_regclass(name)`;

/**
 * Distributes the tables of a migrated database over the workers of Citus, in one transaction. Skips tables that are
 * already distributed.
 *
 * @param shardCount the number of shards of each distributed table
 * @returns the statements, or none if all tables are distributed
 * @throws DistributionFailed
 */
export function distribute(dataSource: DataSource, shardCount: number): Promise<string[]> {
  return withLock(dataSource, async (connection) => {
    const statements = await statementsFor(connection, shardCount);
    try {
      for (const statement of statements) await connection.query(statement);
      return statements;
    } catch (error) {
      throw isDatabaseUnavailable(error) ? error : new DistributionFailed(error);
    }
  });
}

/**
 * Returns the statements that {@link distribute} would run.
 *
 * @throws DistributionFailed when the database lacks the extension or a table
 */
export function planDistribution(dataSource: DataSource, shardCount: number): Promise<string[]> {
  return withLock(dataSource, (connection) => statementsFor(connection, shardCount));
}

async function statementsFor(connection: QueryRunner, shardCount: number): Promise<string[]> {
  const kinds = await findKinds(connection);
  const pending = DISTRIBUTED.filter(({ name }) => kinds.get(name) !== 'h');
  const makesReference = kinds.get(REFERENCE) !== 't';
  if (pending.length === 0 && !makesReference) return [];
  const referring = DISTRIBUTED.filter(
    (table) => table.name !== 'pet' && (makesReference || pending.includes(table)),
  ).map(({ name }) => name);
  return [
    // Foreign keys to a reference table require one connection per node.
    `SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`,
    `SET LOCAL client_min_messages TO warning`,
    // Citus refuses to distribute a table with an identity column and a foreign key to a reference table.
    ...[LOCAL, ...referring].map(
      (table) => `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_account_id_fkey`,
    ),
    ...pending.flatMap(({ name, column }) => [
      ...(name === 'store_order' ? PREPARE_ORDERS : []),
      `SELECT create_distributed_table('${name}', '${column}', ${placement(name, kinds, shardCount)})`,
    ]),
    ...(makesReference ? [`SELECT create_reference_table('${REFERENCE}')`] : []),
    ...referring.map(
      (table) =>
        `ALTER TABLE ${table} ADD CONSTRAINT ${table}_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)`,
    ),
  ];
}

/** Primary keys of distributed tables contain the distribution column. Foreign keys refer to the same shard only. */
const PREPARE_ORDERS = [
  'ALTER TABLE store_order DROP CONSTRAINT IF EXISTS store_order_pet_id_fkey',
  `ALTER TABLE store_order DROP CONSTRAINT store_order_pkey,
    ADD CONSTRAINT store_order_pkey PRIMARY KEY (account_id, id)`,
];

/** A transaction writes orders and idempotency keys of one account. Colocation keeps it on one worker. */
function placement(name: string, kinds: Map<string, Kind>, shardCount: number): string {
  const isWithOrders = name === 'idempotency_key';
  const isWithKeys = name === 'store_order' && kinds.get('idempotency_key') === 'h';
  if (isWithOrders) return `colocate_with => 'store_order'`;
  return isWithKeys
    ? `colocate_with => 'idempotency_key'`
    : `shard_count => ${shardCount}, colocate_with => 'none'`;
}

async function findKinds(connection: QueryRunner): Promise<Map<string, Kind>> {
  const extensions = (await connection.query(FIND_CITUS)) as object[];
  if (extensions.length === 0) {
    throw new DistributionFailed(
      new Error('the database lacks the extension citus: run CREATE EXTENSION citus'),
    );
  }
  const names = [...DISTRIBUTED.map(({ name }) => name), REFERENCE];
  const rows = (await connection.query(KINDS, [names])) as { name: string; isMissing: boolean; kind: Kind }[];
  const missing = rows.find(({ isMissing }) => isMissing);
  if (missing) {
    throw new DistributionFailed(new Error(`there is no table ${missing.name}: run \`petstore migrate\``));
  }
  return new Map(rows.map(({ name, kind }) => [name, kind]));
}
