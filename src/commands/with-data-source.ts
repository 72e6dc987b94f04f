import type { DataSource } from 'typeorm';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { findEngine } from '../database/citus/find-engine.js';
import { dataSourceOptions, openDataSource } from '../database/data-source.js';
import { createPool } from '../database/pool/create-pool.js';

/** Runs the work of a command on the data source. Runs no migrations. */
export async function withDataSource(
  { migrations }: Composition,
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env);
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
