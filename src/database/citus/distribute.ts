import type { DataSource, QueryRunner } from 'typeorm';

import { program } from '../../config/config.js';
import { FIND_CITUS } from '../engine.js';
import { explainFailure, withLock } from '../migrate/migrate.js';

/** How Citus stores the rows of a table. */
export interface Distribution {
  readonly table: string;
  /** The column that determines the worker of a row. Without it, every node has a copy of the table. */
  readonly column?: string;
  /** An earlier table whose rows with the same value of the column are on the same worker. */
  readonly colocatedWith?: string;
  /** Whether the table has a foreign key to the account. */
  readonly hasAccount?: boolean;
  /** Statements that run before the table is distributed. */
  readonly preparation?: readonly string[];
}

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
  const pending = distributions.filter(({ table, column }) => kinds.get(table) !== (column ? 'h' : 't'));
  if (pending.length === 0) return [];
  const hasNewReference = pending.some(({ column }) => column === undefined);
  const referring = distributions
    .filter((each) => each.hasAccount && (hasNewReference || pending.includes(each)))
    .map(({ table }) => table);
  return [
    // Foreign keys to a reference table require one connection per node.
    `SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`,
    `SET LOCAL client_min_messages TO warning`,
    // Citus refuses to distribute a table with an identity column and a foreign key to a reference table.
    ...[LOCAL, ...referring].map(
      (table) => `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_account_id_fkey`,
    ),
    ...pending.flatMap(({ table, column, preparation = [], colocatedWith }) => {
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
