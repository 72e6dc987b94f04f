import type { QueryRunner } from 'typeorm';

/** Whether Citus distributes a table. */
export async function isDistributed(connection: QueryRunner, table: string): Promise<boolean> {
  const catalogs = (await connection.query(
    `SELECT FROM pg_class WHERE relname = 'pg_dist_partition'`,
  )) as object[];
  if (catalogs.length === 0) return false;
  const partitions = (await connection.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1) AND partmethod = 'h'`,
    [table],
  )) as object[];
  return partitions.length > 0;
}
