import pg from 'pg';

import { Unavailable } from '../../domain/domain-error.js';

/** The SQLSTATE of a write to a server that is read-only: a standby, or a demoted primary. */
const READ_ONLY = '25006';

/**
 * The connections to the primary. After a failover, another server has the same address. The pool never uses a
 * connection to a standby, which could return stale data. When a server rejects a write as read-only, the pool closes
 * all connections and opens new ones.
 */
export class PrimaryPool extends pg.Pool {
  /** The connections since the last failover. */
  private current = new WeakSet<pg.PoolClient>();

  constructor(options: pg.PoolConfig) {
    super({
      ...options,
      verify: (client, done) => void rejectStandby(client, options.connectionTimeoutMillis).then(done),
    });
    // The next statement reports the error. Without a listener, the error would end the process.
    this.on('error', () => undefined);
    this.on('connect', (client) => this.current.add(client));
    this.on('release', (error: Error | boolean | undefined, client) => {
      // The pool drops a client that has ended.
      if (!this.current.has(client)) void client.end();
      else this.replaceConnectionsAfter(error);
    });
  }

  /** Replaces all connections after an error that a read-only server causes: at once, or after their current use. */
  replaceConnectionsAfter(error: unknown): void {
    if (!isReadOnlyError(error)) return;
    this.current = new WeakSet();
    for (let { idleCount } = this; idleCount > 0; idleCount--) {
      this.connect((_error, client) => client?.release(true));
    }
  }
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

/** Returns whether a server rejected a write as read-only. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}
