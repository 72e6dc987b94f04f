import type pg from 'pg';

import type { Config } from '../../config/config.js';
import { EmbeddedPool } from '../embedded/embedded-pool.js';
import type { Engine } from '../engine.js';
import { planningOf, timeoutsOf } from './session-settings.js';
import { PrimaryPool } from './primary-pool.js';

/** Creates the pool of connections to the configured database. It connects on first use. */
export function createPool(config: Config, engine: Engine = 'postgresql'): pg.Pool {
  const { databaseUrl } = config;
  return databaseUrl === undefined
    ? new EmbeddedPool(config.dataDir, { connectionTimeoutMillis: config.connectTimeoutMs })
    : new PrimaryPool(poolOptions(config, databaseUrl, engine));
}

/** Returns the options of connections to the address of a primary or a replica. */
export function poolOptions(config: Config, address: string, engine: Engine = 'postgresql'): pg.PoolConfig {
  const settings = { ...timeoutsOf(config), ...planningOf(engine) };
  return {
    application_name: 'petstore',
    max: config.poolSize,
    connectionTimeoutMillis: config.connectTimeoutMs,
    keepAlive: true,
    // Settings of a session do not last behind a pooler in transaction mode.
    connectionString: config.pooler === 'transaction' ? address : withSettings(address, settings),
  };
}

/**
 * Adds settings of the session to the options of an address, which override them. pg has parameters for the timeouts,
 * but ignores the value 0, which switches a timeout off. It also ignores options that are not part of the address if the
 * address has options.
 */
function withSettings(address: string, settings: Record<string, string | number>): string {
  const url = new URL(address);
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [...options, ...url.searchParams.getAll('options')].join(' '));
  return url.href;
}
