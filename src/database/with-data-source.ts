import type { DataSource } from 'typeorm';

import type { Config } from '../config/config.js';
import { findEngine } from './citus/find-engine.js';
import { dataSourceOptions, openDataSource } from './data-source.js';
import type { MigrationClass } from './migrate/migrate.js';
import { createPool } from './pool/create-pool.js';

/** Runs work on the configured database, without the service. Runs no migrations. */
export async function withDataSource(
  config: Config,
  migrations: readonly MigrationClass[] | undefined,
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const pool = createPool(config, await findEngine(config));
  const dataSource = await openDataSource({
    ...dataSourceOptions(config, migrations, pool),
    migrationsRun: false,
  });
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
