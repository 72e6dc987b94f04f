import type { DataSource, QueryRunner } from 'typeorm';

import { FIND_CITUS } from '../engine.js';
import { explainFailure, requireCoordinator, withLock } from '../migrate/migrate.js';

/** How Citus stores the rows of a table. */
export interface Distribution {
  readonly table: string;
  /** The column that determines the worker of a row. Without it, the table stays on the coordinator. */
  readonly column?: string;
  /** An earlier table whose rows with the same value of the column are on the same worker. */
  readonly colocatedWith?: string;
  /** Statements that run before the table is distributed. */
  readonly preparation?: readonly string[];
}

/** The tables of which Citus knows, and whether their rows are on the workers. */
const FIND_TABLES = `SELECT logicalrelid::text AS name, partmethod = 'h' AS "isDistributed" FROM pg_dist_partition`;

/**
 * Distributes the tables of a migrated database over the workers of Citus, in one transaction. Skips tables that are
 * already distributed.
 *
 * @param shardCount the number of shards of each distributed table
 * @returns false if all tables were already distributed
 * @throws OperatorError when a statement fails. The transaction is rolled back
 */
export function distribute(
  dataSource: DataSource,
  distributions: readonly Distribution[],
  shardCount: number,
): Promise<boolean> {
  return withLock(dataSource, (connection) =>
    explainFailure('The tables were not distributed', async () => {
      await requireCoordinator(connection);
      const statements = await statementsFor(connection, distributions, shardCount);
      for (const statement of statements) await connection.query(statement);
      return statements.length > 0;
    }),
  );
}

async function statementsFor(
  connection: QueryRunner,
  distributions: readonly Distribution[],
  shardCount: number,
): Promise<string[]> {
  const pending = await findPending(connection, distributions);
  if (pending.length === 0) return [];
  return [
    `SET LOCAL client_min_messages TO warning`,
    // Citus has no foreign keys between tables on different nodes.
    ...pending.map(({ table }) => `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_account_id_fkey`),
    ...pending.flatMap(({ table, column, preparation = [], colocatedWith }) => {
      if (column === undefined) return keepOnCoordinator(table);
      const placement = colocatedWith
        ? `colocate_with => '${colocatedWith}'`
        : `shard_count => ${shardCount}, colocate_with => 'none'`;
      return [...preparation, `SELECT create_distributed_table('${table}', '${column}', ${placement})`];
    }),
  ];
}

/** Makes a table of the coordinator known to the workers, which ask for its rows. Citus restarts its ids. */
function keepOnCoordinator(table: string): string[] {
  return [
    `SELECT citus_add_local_table_to_metadata('${table}')`,
    `SELECT setval(pg_get_serial_sequence('${table}', 'id'), coalesce(max(id), 0) + 1, false) FROM ${table}`,
  ];
}

async function findPending(
  connection: QueryRunner,
  distributions: readonly Distribution[],
): Promise<Distribution[]> {
  const extensions = (await connection.query(FIND_CITUS)) as object[];
  if (extensions.length === 0) {
    throw new Error('the database lacks the extension citus: run CREATE EXTENSION citus');
  }
  const tables = (await connection.query(FIND_TABLES)) as { name: string; isDistributed: boolean }[];
  const found = new Map(tables.map(({ name, isDistributed }) => [name, isDistributed]));
  return distributions.filter(({ table, column }) => found.get(table) !== (column !== undefined));
}
