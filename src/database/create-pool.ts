import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

import type { Config } from '../config/config.js';
import { EmbeddedPool } from './embedded/embedded-pool.js';
import { type Engine, planningOf, POSTGRESQL, SESSION_SETTINGS, timeoutsOf } from './settings.js';
import { type ConnectionOptions, Pool, PrimaryPool } from './connection.js';

/** The time that the service waits after `statement_timeout`, with which the server itself cancels slow statements. */
const ANSWER_GRACE_MS = 500;

/** Creates the pool of connections to the configured database. It connects on first use. */
export function createPool(config: Config, engine: Engine = POSTGRESQL): pg.Pool {
  const { databaseUrl } = config;
  return databaseUrl === undefined
    ? new EmbeddedPool(config.dataDir, optionsOf(config))
    : new PrimaryPool({ ...optionsOf(config), ...addressOf(databaseUrl, config, engine) });
}

/** Creates the pool of connections to a standby, whose answers are waited for less long. */
export function createReplicaPool(config: Config, engine: Engine, address: string): pg.Pool {
  const timeoutMs = config.databaseReplicaMaxLagMs;
  return new Pool({
    ...optionsOf(config),
    ...addressOf(address, config, engine),
    connectionTimeoutMillis: Math.min(config.databaseConnectTimeoutMs, timeoutMs),
    answerTimeoutMs: timeoutMs,
  });
}

function optionsOf(config: Config): pg.PoolConfig & ConnectionOptions {
  return {
    max: config.databasePoolSize,
    connectionTimeoutMillis: config.databaseConnectTimeoutMs,
    answerTimeoutMs: config.databaseQueryTimeoutMs + ANSWER_GRACE_MS,
  };
}

/**
 * Reads an address, as pg does, and adds the settings of the session, which its own options override. They are not part
 * of the text, because pg would decode it again. pg has parameters for the timeouts, but ignores the value 0, which
 * switches a timeout off.
 */
function addressOf(address: string, config: Config, engine: Engine): pg.ClientConfig {
  const { options: own = '', ...given } = parse(address);
  const { ssl, ...client } = toClientConfig(given);
  const settings = { ...timeoutsOf(config), ...planningOf(engine), ...SESSION_SETTINGS };
  const options = Object.entries(settings).map(
    ([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`,
  );
  return {
    application_name: 'petstore',
    keepAlive: true,
    ...client,
    ssl: withAuthorities(ssl, config.pgsslrootcert),
    // Settings of a session do not last behind a pooler in transaction mode.
    options: (config.databasePooler === 'transaction' ? [own] : [...options, own]).join(' '),
  };
}

/** Adds the authorities of PGSSLROOTCERT to a connection with TLS, as psql does, unless its address names others. */
function withAuthorities(ssl: pg.ClientConfig['ssl'], ca: string | undefined): pg.ClientConfig['ssl'] {
  // Without a mode in the address, pg reads it from this variable.
  const usesTls = ssl ?? /^(?:prefer|require|verify-ca|verify-full)$/.test(process.env['PGSSLMODE'] ?? '');
  return usesTls && ca !== undefined ? { ca, ...(typeof ssl === 'object' && ssl) } : ssl;
}
