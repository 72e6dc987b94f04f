import type pg from 'pg';

import type { Config } from '../../config/config.js';
import { EmbeddedPool } from '../embedded/embedded-pool.js';
import { PLANNING } from './planning.js';
import { createPrimaryPool } from './primary-pool.js';
import { timeoutsOf } from './timeouts.js';

/** Creates the pool of connections to the configured database. It connects on first use. */
export function createPool(config: Config): pg.Pool {
  const { databaseUrl } = config;
  return databaseUrl === undefined
    ? new EmbeddedPool(config.dataDir, { connectionTimeoutMillis: config.connectTimeoutMs })
    : createPrimaryPool({ ...poolOptions(config), connectionString: databaseUrl });
}

/** Returns the options of connections to a primary or a replica. */
export function poolOptions(config: Config): pg.PoolConfig {
  return {
    application_name: 'petstore',
    max: config.poolSize,
    connectionTimeoutMillis: config.connectTimeoutMs,
    keepAlive: true,
    // Settings of a session do not last behind a pooler in transaction mode.
    ...(config.pooler === 'transaction' ? {} : sessionSettings(config)),
  };
}

function sessionSettings(config: Config): pg.PoolConfig {
  const options = Object.entries(PLANNING).map(([name, value]) => `-c ${name}=${value}`);
  return { ...timeoutsOf(config), options: options.join(' ') };
}
