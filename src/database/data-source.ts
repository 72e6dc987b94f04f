import { join } from 'node:path';

import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

import type { Config } from '../config/config.js';
import { FailedCommitSubscriber } from './failed-commit.subscriber.js';
import { migrate, type MigrationClass } from './migrate/migrate.js';
import { createPool } from './pool/create-pool.js';

/** The service's own migrations, in the pattern of TypeORM. */
const MIGRATION_FILES = join(import.meta.dirname, '../../migrations/*.js');

/** TypeORM's options for PostgreSQL. */
export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Opens the database, and migrates it if `migrationsRun` is set. */
export async function openDataSource({ migrationsRun, ...options }: PostgresOptions): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  dataSource.subscribers.push(new FailedCommitSubscriber());
  try {
    if (migrationsRun) await migrate(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/**
 * Returns TypeORM's options for the configured database.
 *
 * @param migrations run after the service's own
 * @param pool the connections that TypeORM uses, and closes when the data source is destroyed
 */
export function dataSourceOptions(
  config: Config,
  migrations: readonly MigrationClass[] = [],
  pool: pg.Pool = createPool(config),
): PostgresOptions {
  return {
    type: 'postgres',
    driver: driverOver(pool),
    synchronize: false,
    installExtensions: false,
    migrations: [MIGRATION_FILES, ...migrations],
    migrationsTableName: 'migration',
    migrationsRun: config.migrateOnStart,
  };
}

/**
 * Returns the module that TypeORM uses as its `driver`: pg, except that `new Pool()` returns the given pool. So TypeORM
 * and the repositories share connections.
 */
function driverOver(pool: pg.Pool): object {
  return {
    ...pg,
    Pool: function () {
      return pool;
    },
  };
}
