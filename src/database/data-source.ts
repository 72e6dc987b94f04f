import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';

import type { MigrationClass } from './migrate/migrate.js';
import { MIGRATIONS } from './migrate/migrations.js';

/** Injection token of the `pg.Pool` that TypeORM and `Database` share. TypeORM's data source closes it. */
export const POOL = Symbol('Pool');

/** Returns TypeORM's options for a pool of connections, with the migrations of a team after the service's own. */
export function dataSourceOptions(
  pool: pg.Pool,
  migrations: readonly MigrationClass[] = [],
): Extract<DataSourceOptions, { type: 'postgres' }> {
  return {
    type: 'postgres',
    // TypeORM calls `new driver.Pool()`.
    driver: {
      ...pg,
      Pool: function () {
        return pool;
      },
    },
    synchronize: false,
    installExtensions: false,
    migrations: [...MIGRATIONS, ...migrations],
    migrationsTableName: 'migration',
  };
}
