import { setTimeout as sleep } from 'node:timers/promises';

import type { FactoryProvider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Logger } from 'nestjs-pino';

import type { Config } from '../config/config.js';
import { ConfigError } from '../config/config.errors.js';
import { messageOf } from '../domain/errors.js';
import { createPool } from './create-pool.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { CITUS, type Engine, POSTGRESQL } from './settings.js';

/** Injection token of the {@link Engine}. */
export const ENGINE = Symbol('Engine');

/** Provides a repository: the class itself or, on Citus, a subclass with other statements. */
export function repositoryOf<T extends object>(repository: Type<T>, onCitus: Type<T>): FactoryProvider<T> {
  return {
    provide: repository,
    inject: [ENGINE, ModuleRef],
    useFactory: (engine: Engine, moduleRef: ModuleRef) =>
      moduleRef.create(engine === CITUS ? onCitus : repository),
  };
}

/** Returns a row if the database has the extension. */
export const FIND_CITUS = `SELECT FROM pg_extension WHERE extname = 'citus'`;

/** The pause after a failed attempt to connect. */
const PAUSE_MS = 1000;

/** The codes of a wrong password, a missing database and a failed TLS, which a further attempt does not change. */
const REFUSED = /^(?:28|3D|UNABLE_TO_|HOSTNAME_|ERR_(?:TLS|SSL)_)|CERT/;

/** The message of PgBouncer about a parameter. Its SQLSTATE, 08P01, is also that of a server which is not available. */
const UNSUPPORTED = 'unsupported startup parameter';

/**
 * Finds the engine of the configured database. Waits for a database that is not available yet. Does not connect to the
 * embedded database.
 *
 * @param logger logs at once, while Nest's own logger keeps the lines of a start
 * @param isCommand makes only one attempt
 * @throws ConfigError when the engine does not support the configuration
 * @throws the error of the last attempt, when the start has taken too long or another attempt cannot succeed
 */
export async function findEngine(config: Config, logger: Logger, isCommand = false): Promise<Engine> {
  if (config.databaseUrl === undefined) return POSTGRESQL;
  const deadline = performance.now() + (isCommand ? 0 : config.databaseStartTimeoutMs);
  for (;;) {
    try {
      return await readEngine(config);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (messageOf(error).startsWith(UNSUPPORTED)) {
        const message = `DATABASE_POOLER: set it to transaction, because the address is a pooler: ${messageOf(error)}`;
        throw new ConfigError(message, { cause: error });
      }
      const isWorthARetry = isDatabaseUnavailable(error) && !REFUSED.test(code);
      if (!isWorthARetry || performance.now() + PAUSE_MS > deadline) throw error;
      logger.warn(
        `The database is not available yet, and the next attempt follows in ${PAUSE_MS} ms: ${messageOf(error)}`,
      );
      await sleep(PAUSE_MS);
    }
  }
}

async function readEngine(config: Config): Promise<Engine> {
  const pool = createPool({ ...config, databasePoolSize: 1 });
  try {
    const { rows } = await pool.query<{ server_encoding: string }>('SHOW server_encoding');
    const encoding = rows[0]?.server_encoding;
    if (encoding !== 'UTF8') {
      throw new ConfigError(
        `DATABASE_URL: the encoding of the database is ${encoding}, which lacks characters of names and messages. Use a database with ENCODING 'UTF8'.`,
      );
    }
    const { rowCount } = await pool.query(FIND_CITUS);
    if (rowCount === 0) return POSTGRESQL;
  } finally {
    await pool.end();
  }
  if (config.databaseReplicaUrls.length > 0) {
    throw new ConfigError(
      'DATABASE_REPLICA_URLS: on Citus, a standby of the coordinator does not contain the rows of the workers',
    );
  }
  if (config.databasePoolSize < 2) {
    throw new ConfigError(
      'DATABASE_POOL_SIZE: on Citus, a transaction needs a second connection for the ids of its rows',
    );
  }
  return CITUS;
}
