import { Module } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { createPool } from './create-pool.js';

/** Injection token of the `pg.Pool` that TypeORM and {@link Database} share. */
export const POOL = Symbol('Pool');

/** The pool of connections. TypeORM's data source closes it. */
@Module({
  providers: [{ provide: POOL, inject: [CONFIG], useFactory: (config: Config) => createPool(config) }],
  exports: [POOL],
})
export class PoolModule {}
