import pg from 'pg';

import { Unavailable } from '../../domain/errors.js';
import { Connection, type ConnectionOptions } from './connection.js';

/**
 * The connections to the primary. After a failover, another server has the same address. The pool never uses a
 * connection to a standby, which could return stale data. When a server rejects a write as read-only, the pool closes
 * all connections and opens new ones.
 */
export class PrimaryPool extends pg.Pool {
  /** The connections since the last failover. */
  private current = new WeakSet<pg.PoolClient>();

  constructor(options: pg.PoolConfig & ConnectionOptions) {
    const withCallback: pg.PoolConfig & ConnectionOptions = {
      ...options,
      Client: Connection,
      onReadOnly: () => this.replaceConnections(),
      verify: (client, done) => void rejectStandby(client).then(done),
    };
    super(withCallback);
    // The next statement reports the error. Without a listener, the error would end the process.
    this.on('error', () => undefined);
    this.on('connect', (client) => this.current.add(client));
    this.on('release', (_error, client) => {
      // The pool drops a client that has ended.
      if (!this.current.has(client)) void client.end();
    });
  }

  /** Replaces all connections: at once, or after their current use. */
  private replaceConnections(): void {
    this.current = new WeakSet();
    for (let { idleCount } = this; idleCount > 0; idleCount--) {
      this.connect((_error, client) => client?.release(true));
    }
  }
}

/** Resolves with an error if a new connection leads to a standby. */
async function rejectStandby(client: pg.PoolClient): Promise<Error | undefined> {
  // A lost connection fails the query. Without a listener, the error would end the process.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    return rows[0]?.transaction_read_only === 'on'
      ? new Unavailable(new Error('the database is a read-only standby'))
      : undefined;
  } catch (error) {
    return error as Error;
  } finally {
    client.off('error', ignore);
  }
}
