import { Logger, type Type } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { type DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';

import { OperatorError } from '../../config/config.errors.js';
import { messageOf } from '../../domain/errors.js';
import type { Connection } from '../connection.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';

/** A migration. The name of the class ends in a timestamp in milliseconds, which determines the order of migrations. */
export type MigrationClass = Type<MigrationInterface>;

/** The number of the advisory lock: 'petstore' in hexadecimal ASCII. */
const LOCK_ID = '70657473746f7265';

/**
 * Switches off the timeouts of the transaction, because an index on a large table takes long to create. PostgreSQL 16
 * and earlier have no `transaction_timeout`.
 */
const SWITCH_TIMEOUTS_OFF = `
  SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/**
 * Runs or undoes migrations until the one with the name is the last that has run, or none for the name '0'. Without a
 * name, runs all. Undoes them in the reverse order of their runs: those of a later version of the package may have run
 * after those of a team, and have earlier timestamps. An undo deletes the data in the tables and columns that the
 * migration created. When several replicas start at the same time, one of them runs a migration while the others wait.
 *
 * @param report gets each step when it is done
 * @returns what was done to which migration
 * @throws OperatorError when there is no such migration, or one fails. The schema does not change
 */
export async function migrate(
  dataSource: DataSource,
  name?: string,
  report: (step: string) => void = (step) => new Logger('Migrations').log(step),
): Promise<string[]> {
  const steps: string[] = [];
  for (;;) {
    const step = await withLock(dataSource, (connection) => stepTo(name, dataSource, connection));
    if (step === undefined) return steps;
    report(step);
    steps.push(step);
  }
}

async function stepTo(
  name: string | undefined,
  dataSource: DataSource,
  connection: QueryRunner,
): Promise<string | undefined> {
  const executor = new MigrationExecutor(dataSource, connection);
  const done = await executor.getExecutedMigrations();
  const pending = await executor.getPendingMigrations();
  const found = [...done, ...pending].find((each) => each.name === name);
  if (name !== undefined && name !== '0' && !found) {
    throw new OperatorError(`There is no migration ${name}. The option --status lists the migrations.`);
  }
  const isDone = name === '0' || done.some((each) => each.name === name);
  const [last] = done;
  if (last && isDone && last.name !== name) {
    await requireCoordinator(connection);
    await explainFailure(`The undo of the migration ${last.name} failed and was rolled back`, () =>
      executor.undoLastMigration(),
    );
    return `undid ${last.name}`;
  }
  const [next] = pending;
  if (!next || isDone || next.timestamp > (found?.timestamp ?? Infinity)) return undefined;
  await requireCoordinator(connection);
  await explainFailure(`The migration ${next.name} failed and was rolled back`, () =>
    executor.executeMigration(next),
  );
  return `ran ${next.name}`;
}

/**
 * Checks that the database is not a worker of Citus, whose tables belong to the coordinator.
 *
 * @throws OperatorError
 */
export async function requireCoordinator(connection: QueryRunner): Promise<void> {
  const catalogs = (await connection.query(
    `SELECT FROM pg_class WHERE relname = 'pg_dist_local_group'`,
  )) as object[];
  if (catalogs.length === 0) return;
  const workers = (await connection.query(`SELECT FROM pg_dist_local_group WHERE groupid > 0`)) as object[];
  if (workers.length > 0) {
    throw new OperatorError(
      'DATABASE_URL names a worker of Citus. Migrations and `distribute` run on the coordinator only.',
    );
  }
}

/** Returns all migrations, the earliest first, and whether they have run. */
export async function migrationStates(dataSource: DataSource): Promise<{ id: string; state: string }[]> {
  const executor = new MigrationExecutor(dataSource);
  const done = await executor.getExecutedMigrations();
  const pending = await executor.getPendingMigrations();
  return [
    ...done.toReversed().map(({ name }) => ({ id: name, state: 'done' })),
    ...pending.map(({ name }) => ({ id: name, state: 'pending' })),
  ];
}

/** Runs work on the schema. Adds to an error what has failed, and the hint of the server. */
export async function explainFailure<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const { hint } = Object(error) as Partial<DatabaseError>;
    throw new OperatorError(`${what}: ${messageOf(error)}${hint ? ` (${hint})` : ''}`, { cause: error });
  }
}

/**
 * Runs work in a transaction with an exclusive lock. The lock and the timeouts end with the transaction, so that they
 * work behind a pooler in transaction mode.
 */
export function withLock<Result>(
  dataSource: DataSource,
  work: (connection: QueryRunner) => Promise<Result>,
): Promise<Result> {
  return dataSource.transaction(async ({ queryRunner: connection }) => {
    if (!connection) throw new Error('a transaction has a connection');
    const client = (await connection.connect()) as Connection;
    client.hasTimeout = false;
    try {
      await connection.query(SWITCH_TIMEOUTS_OFF);
      await connection.query(`SELECT pg_advisory_xact_lock(x'${LOCK_ID}'::bigint)`);
      return await work(connection);
    } finally {
      client.hasTimeout = true;
    }
  });
}
