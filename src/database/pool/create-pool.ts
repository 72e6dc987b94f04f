import type pg from 'pg';

import type { Config } from '../../config/config.js';
import { EmbeddedPool } from '../embedded/embedded-pool.js';
import type { Engine } from '../engine.js';
import { planningOf } from './planning.js';
import { createPrimaryPool } from './primary-pool.js';
import { timeoutsOf } from './timeouts.js';

/** The pool of connections to the database that the configuration names. It connects on first use. */
export function createPool(config: Config, engine: Engine = 'postgresql'): pg.Pool {
  const { databaseUrl } = config;
  return databaseUrl === undefined
    ? new EmbeddedPool(config.dataDir, { connectionTimeoutMillis: config.connectTimeoutMs })
    : createPrimaryPool({ ...poolOptions(config, engine), connectionString: databaseUrl });
}

/** The options of connections to any PostgreSQL, primary or replica. */
export function poolOptions(config: Config, engine: Engine = 'postgresql'): pg.PoolConfig {
  return {
    application_name: 'petstore',
    max: config.poolSize,
    connectionTimeoutMillis: config.connectTimeoutMs,
    keepAlive: true,
    // A transaction pooler has no session in which settings would last.
    ...(config.pooler === 'transaction' ? {} : sessionSettings(config, engine)),
  };
}

function sessionSettings(config: Config, engine: Engine): pg.PoolConfig {
  const options = Object.entries(planningOf(engine)).map(([name, value]) => `-c ${name}=${value}`);
  return { ...timeoutsOf(config), options: options.join(' ') };
}
