import type pg from 'pg';

import type { Config } from '../../config/config.js';
import { EmbeddedPool } from '../embedded/embedded-pool.js';
import type { Engine } from '../engine.js';
import { planningOf } from './planning.js';
import { createPrimaryPool } from './primary-pool.js';
import { timeoutsOf } from './timeouts.js';

/** Creates the pool of connections to the configured database. It connects on first use. */
export function createPool(config: Config, engine: Engine = 'postgresql'): pg.Pool {
  const { databaseUrl } = config;
  return databaseUrl === undefined
    ? new EmbeddedPool(config.dataDir, { connectionTimeoutMillis: config.connectTimeoutMs })
    : createPrimaryPool({ ...poolOptions(config, engine), connectionString: databaseUrl });
}

/** Returns the options of connections to a primary or a replica. */
export function poolOptions(config: Config, engine: Engine = 'postgresql'): pg.PoolConfig {
  return {
    application_name: 'petstore',
    max: config.poolSize,
    connectionTimeoutMillis: config.connectTimeoutMs,
    keepAlive: true,
    // Settings of a session do not last behind a pooler in transaction mode.
    ...(config.pooler === 'transaction' ? {} : sessionSettings(config, engine)),
  };
}

function sessionSettings(config: Config, engine: Engine): pg.PoolConfig {
  const options = Object.entries(planningOf(engine)).map(([name, value]) => `-c ${name}=${value}`);
  return { ...timeoutsOf(config), options: options.join(' ') };
}
