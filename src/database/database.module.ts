import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Logger } from 'nestjs-pino';
import type pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { CONFIG, type Config } from '../config/config.js';
import { COMMAND } from '../program.js';
import { Nodes } from './citus/nodes.js';
import { createPool } from './create-pool.js';
import { dataSourceOptions, POOL } from './data-source.js';
import { Database } from './database.js';
import { ENGINE, findEngine } from './engine.js';
import { ExpiredRows } from './expired-rows.js';
import { migrate, type MigrationClass } from './migrate/migrate.js';
import { Replicas } from './replicas.js';

/** The database of all features. It is open and migrated before the features start. */
@Global()
@Module({
  providers: [
    { provide: ENGINE, inject: [CONFIG, Logger, { token: COMMAND, optional: true }], useFactory: findEngine },
    { provide: POOL, inject: [CONFIG, ENGINE], useFactory: createPool },
    Database,
    Replicas,
    ExpiredRows,
    Nodes,
  ],
  exports: [ENGINE, POOL, Database, Replicas, ExpiredRows, Nodes],
})
export class DatabaseModule {
  static forRoot(migrations?: readonly MigrationClass[]): DynamicModule {
    const dataSource = TypeOrmModule.forRootAsync({
      inject: [CONFIG, POOL, { token: COMMAND, optional: true }],
      useFactory: ({ migrateOnStart }: Config, pool: pg.Pool, command?: true) => ({
        ...dataSourceOptions(pool, migrations),
        migrationsRun: migrateOnStart && !command,
        autoLoadEntities: true,
        // The first attempt retries by itself. Nest would log a failed migration as a lost connection.
        toRetry: () => false,
      }),
      dataSourceFactory: (options) => openDataSource(options),
    });
    return { module: DatabaseModule, imports: [dataSource] };
  }
}

/** Opens the database, and migrates it if `migrationsRun` is set: TypeORM's own run takes no lock. */
async function openDataSource(
  { migrationsRun, ...options }: DataSourceOptions = { type: 'postgres' },
): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  try {
    if (migrationsRun) await migrate(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}
