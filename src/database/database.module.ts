import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';

import { CONFIG, type Config } from '../config/config.js';
import { dataSourceOptions, openDataSource } from './data-source.js';
import { Database } from './database.js';
import type { MigrationClass } from './migrate.js';
import { PoolerSettingsCheck } from './pool/pooler-settings.check.js';
import { Replicas } from './replicas/replicas.js';

/** The database of all features: opened, and migrated, before any of them starts. */
@Global()
@Module({
  providers: [Database, PoolerSettingsCheck, Replicas],
  exports: [Database, Replicas],
})
export class DatabaseModule {
  /** @param migrations those that run beside the service's own */
  static with(migrations?: readonly MigrationClass[]): DynamicModule {
    const dataSource = TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config, migrations),
        autoLoadEntities: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => openDataSource(options as PostgresDataSourceOptions),
    });
    return { module: DatabaseModule, imports: [dataSource] };
  }
}
