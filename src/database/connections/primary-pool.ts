import type pg from 'pg';

import { READ_ONLY } from '../database-unavailable.js';
import { Connection, type ConnectionOptions, Pool } from './connection.js';

/**
 * The connections to the primary. After a failover, another server has the same address. The pool opens no connection to
 * a standby, which could return stale data. When a server rejects a write as read-only, or a prepared statement because
 * columns have changed, or does not answer in time, the pool closes all connections and opens new ones.
 */
export class PrimaryPool extends Pool {
  /** The connections since the last replacement. */
  private current = new WeakSet<pg.ClientBase>();

  constructor(options: pg.PoolConfig & ConnectionOptions) {
    const withCallback: pg.PoolConfig & ConnectionOptions = {
      ...options,
      Client: Connection,
      onOutdated: (connection) => this.replaceConnections(connection),
      verify: (client, done) => void rejectStandby(client).then(() => done(), done),
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

  /** Replaces all connections: at once, or after their current use. Newer ones than the outdated one stay. */
  private replaceConnections(outdated: pg.ClientBase): void {
    if (!this.current.has(outdated)) return;
    this.current = new WeakSet();
    for (let { idleCount } = this; idleCount > 0; idleCount--) {
      this.connect((_error, client) => client?.release(true));
    }
  }
}

/** @throws Error when a new connection leads to a standby */
async function rejectStandby(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') {
    const message = 'it is read-only, as a standby, or because default_transaction_read_only is on';
    throw Object.assign(new Error(message), { code: READ_ONLY });
  }
}
