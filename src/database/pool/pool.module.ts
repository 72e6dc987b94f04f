import { Module } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { findEngine } from '../citus/find-engine.js';
import { ENGINE, type Engine } from '../engine.js';
import { createPool } from './create-pool.js';

/** Injection token of the `pg.Pool` that TypeORM and {@link Database} share. */
export const POOL = Symbol('Pool');

/** The engine of the database, which is found once, and the pool of connections. TypeORM's data source closes the pool. */
@Module({
  providers: [
    { provide: ENGINE, inject: [CONFIG], useFactory: findEngine },
    {
      provide: POOL,
      inject: [CONFIG, ENGINE],
      useFactory: (config: Config, engine: Engine) => createPool(config, engine),
    },
  ],
  exports: [ENGINE, POOL],
})
export class PoolModule {}
