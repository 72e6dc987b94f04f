import { type DataSource, MigrationExecutor } from 'typeorm';

/** Any number, as long as nothing else takes advisory locks by it: 'petstore' in hexadecimal ASCII. */
const LOCK_ID = '70657473746f7265';

/** What a statement of a migration may take its time beyond: an index on a large table is slow by nature. */
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/**
 * Brings the schema up to date. Of replicas that start at once, one runs the migrations and the
 * others wait for it, by an advisory lock on the connection that migrates.
 *
 * @returns the names of the migrations that ran, none when there was nothing to do
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const connection = dataSource.createQueryRunner();
  try {
    for (const timeout of TIMEOUTS) await connection.query(`SET ${timeout} = 0`);
    await connection.query(`SELECT pg_advisory_lock(x'${LOCK_ID}'::bigint)`);
    const executor = new MigrationExecutor(dataSource, connection);
    executor.transaction = 'each';
    const ran = await executor.executePendingMigrations();
    return ran.map(({ name }) => name);
  } finally {
    await connection.query(`SELECT pg_advisory_unlock_all()`);
    for (const timeout of TIMEOUTS) await connection.query(`RESET ${timeout}`);
    await connection.release();
  }
}
