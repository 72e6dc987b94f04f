import { type Config, ConfigError } from '../../config/config.js';
import type { Engine } from '../engine.js';
import { createPool } from '../pool/create-pool.js';

/** Returns a row if the database has the extension. */
export const FIND_CITUS = `SELECT FROM pg_extension WHERE extname = 'citus'`;

/**
 * Finds the engine of the configured database. Does not connect to the embedded database.
 *
 * @throws ConfigError when the engine does not support the configuration
 */
export async function findEngine(config: Config): Promise<Engine> {
  if (config.databaseUrl === undefined) return 'postgresql';
  const pool = createPool({ ...config, poolSize: 1 }, 'postgresql');
  try {
    const { rowCount } = await pool.query(FIND_CITUS);
    if (rowCount === 0) return 'postgresql';
  } finally {
    await pool.end();
  }
  if (config.replicaUrls.length > 0) {
    throw new ConfigError(
      'DATABASE_REPLICA_URLS: on Citus, a standby of the coordinator does not contain the rows of the workers',
    );
  }
  return 'citus';
}
