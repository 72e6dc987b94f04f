import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';

import { CONFIG, type Config } from '../config.js';
import { dataSourceOptions, openDataSource } from './data-source.js';
import { Database } from './database.js';
import { PooledSessions } from './pooled-sessions.js';
import { Replicas } from './replicas.js';

/** The database of all features: opened, and migrated, before any of them starts. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config),
        autoLoadEntities: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => openDataSource(options as PostgresDataSourceOptions),
    }),
  ],
  providers: [Database, PooledSessions, Replicas],
  exports: [Database, Replicas],
})
export class DatabaseModule {}
