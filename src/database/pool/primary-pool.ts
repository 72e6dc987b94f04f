import pg from 'pg';

import { Unavailable } from '../../domain/domain-error.js';

/** The SQLSTATE of a write to a server that is read-only: a standby, or a demoted primary. */
const READ_ONLY = '25006';

/**
 * Creates a pool of connections to the primary. After a failover, another server has the same address. The pool never
 * uses a connection to a standby, which could return stale data. When a server rejects a write as read-only, the pool
 * closes all connections and opens new ones.
 */
export function createPrimaryPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    verify: (client, done) => void rejectStandby(client, options.connectionTimeoutMillis).then(done),
  });
  // The next statement reports the error. Without a listener, the error would end the process.
  pool.on('error', () => undefined);
  replaceConnectionsAfterFailover(pool);
  return pool;
}

/** Resolves with an error if a new connection leads to a standby. */
async function rejectStandby(
  client: pg.PoolClient,
  timeoutMs: number | undefined,
): Promise<Error | undefined> {
  // A lost connection fails the query. Without a listener, the error would end the process.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    const query = { text: 'SHOW transaction_read_only', query_timeout: timeoutMs };
    const { rows } = await client.query<{ transaction_read_only: string }>(query);
    return rows[0]?.transaction_read_only === 'on'
      ? new Unavailable(new Error('the database is a read-only standby'))
      : undefined;
  } catch (error) {
    return error as Error;
  } finally {
    client.off('error', ignore);
  }
}

function replaceConnectionsAfterFailover(pool: pg.Pool): void {
  let current = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => current.add(client));
  pool.on('release', (error: Error | boolean | undefined, client) => {
    // The pool drops a client that has ended.
    if (!current.has(client)) return void client.end();
    if (!isReadOnlyError(error)) return;
    current = new WeakSet();
    for (let { idleCount } = pool; idleCount > 0; idleCount--) {
      pool.connect((_error, client) => client?.release(true));
    }
  });
}

/** Returns whether a server rejected a write as read-only. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}
