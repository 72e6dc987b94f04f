import type { DataSource, QueryRunner } from 'typeorm';

import { program } from '../../program.js';
import { FIND_CITUS } from '../engine.js';
import { explainFailure, requireCoordinator, withLock } from '../migrate/migrate.js';

/** How Citus stores the rows of a table. */
export interface Distribution {
  readonly table: string;
  /** The column that determines the worker of a row. Without it, every node has a copy, or the coordinator the table. */
  readonly column?: string;
  /** Whether the table stays on the coordinator, which the workers ask for its rows. */
  readonly isOnCoordinator?: boolean;
  /** An earlier table whose rows with the same value of the column are on the same worker. */
  readonly colocatedWith?: string;
  /** Whether the table has a foreign key to the account. */
  readonly hasAccount?: boolean;
  /** Statements that run before the table is distributed. */
  readonly preparation?: readonly string[];
}

/**
 * The kind of a table: 'h' is distributed by hash, 't' is a reference table, 'c' is on the coordinator, and null is a
 * table that Citus does not know.
 */
type Kind = 'h' | 't' | 'c' | null;

const KINDS = `
  SELECT name, to_regclass(name) IS NULL AS "isMissing",
         CASE WHEN partmethod = 'h' THEN 'h' WHEN repmodel = 't' THEN 't' WHEN partmethod = 'n' THEN 'c' END AS kind
  FROM unnest($1::text[]) WITH ORDINALITY AS "table" (name, position)
  LEFT JOIN pg_dist_partition ON logicalrelid = to_regclass(name) ORDER BY position`;

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
  const kinds = await findKinds(connection, distributions);
  const pending = distributions.filter((each) => kinds.get(each.table) !== kindOf(each));
  if (pending.length === 0) return [];
  const hasNewReference = pending.some((each) => kindOf(each) === 't');
  const referring = distributions
    .filter((each) => each.hasAccount && (hasNewReference || pending.includes(each)))
    .map(({ table }) => table);
  return [
    // Foreign keys to a reference table require one connection per node.
    `SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`,
    `SET LOCAL client_min_messages TO warning`,
    // Citus refuses to distribute a table with an identity column and a foreign key to a reference table.
    ...referring.map((table) => `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_account_id_fkey`),
    ...pending.flatMap(({ table, column, isOnCoordinator, preparation = [], colocatedWith }) => {
      if (isOnCoordinator) return [...preparation, ...keepOnCoordinator(table)];
      if (column === undefined) return [`SELECT create_reference_table('${table}')`];
      const placement = colocatedWith
        ? `colocate_with => '${colocatedWith}'`
        : `shard_count => ${shardCount}, colocate_with => 'none'`;
      return [...preparation, `SELECT create_distributed_table('${table}', '${column}', ${placement})`];
    }),
    ...referring.map(
      (table) =>
        `ALTER TABLE ${table} ADD CONSTRAINT ${table}_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)`,
    ),
  ];
}

function kindOf({ column, isOnCoordinator }: Distribution): Kind {
  if (isOnCoordinator) return 'c';
  return column === undefined ? 't' : 'h';
}

/** Makes a table of the coordinator known to the workers. Citus restarts its ids. */
function keepOnCoordinator(table: string): string[] {
  return [
    `SELECT citus_add_local_table_to_metadata('${table}')`,
    `SELECT setval(pg_get_serial_sequence('${table}', 'id'), coalesce(max(id), 0) + 1, false) FROM ${table}`,
  ];
}

async function findKinds(
  connection: QueryRunner,
  distributions: readonly Distribution[],
): Promise<Map<string, Kind>> {
  const extensions = (await connection.query(FIND_CITUS)) as object[];
  if (extensions.length === 0) {
    throw new Error('the database lacks the extension citus: run CREATE EXTENSION citus');
  }
  const names = distributions.map(({ table }) => table);
  const rows = (await connection.query(KINDS, [names])) as { name: string; isMissing: boolean; kind: Kind }[];
  const missing = rows.find(({ isMissing }) => isMissing);
  if (missing) throw new Error(`there is no table ${missing.name}: run \`${program.name} migrate\``);
  return new Map(rows.map(({ name, kind }) => [name, kind]));
}
