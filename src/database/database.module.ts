import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type pg from 'pg';

import { CONFIG, type Config } from '../config/config.js';
import { dataSourceOptions, openDataSource, type PostgresOptions } from './data-source.js';
import { Database } from './database.js';
import type { MigrationClass } from './migrate/migrate.js';
import { POOL, PoolModule } from './pool/pool.module.js';
import { PoolerSettingsCheck } from './pool/pooler-settings.check.js';
import { Replicas } from './replicas/replicas.js';

/** The database of all features. It is open and migrated before the features start. */
@Global()
@Module({
  providers: [Database, PoolerSettingsCheck, Replicas],
  exports: [Database, Replicas],
})
export class DatabaseModule {
  /** @param migrations migrations that run after those of the service */
  static forRoot(migrations?: readonly MigrationClass[]): DynamicModule {
    const dataSource = TypeOrmModule.forRootAsync({
      imports: [PoolModule],
      inject: [CONFIG, POOL],
      useFactory: (config: Config, pool: pg.Pool) => ({
        ...dataSourceOptions(config, migrations, pool),
        autoLoadEntities: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => openDataSource(options as PostgresOptions),
    });
    return { module: DatabaseModule, imports: [PoolModule, dataSource] };
  }
}
