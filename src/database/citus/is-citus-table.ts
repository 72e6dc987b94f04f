import type { QueryRunner } from 'typeorm';

/** Returns whether a table is a Citus table: distributed, or a reference table. */
export async function isCitusTable(connection: QueryRunner, table: string): Promise<boolean> {
  const catalogs = (await connection.query(
    `SELECT FROM pg_class WHERE relname = 'pg_dist_partition'`,
  )) as object[];
  if (catalogs.length === 0) return false;
  const tables = (await connection.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)`,
    [table],
  )) as object[];
  return tables.length > 0;
}
