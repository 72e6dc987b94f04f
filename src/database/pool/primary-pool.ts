import type pg from 'pg';

import { Unavailable } from '../../domain/domain-error.js';
import { BoundedPool } from './bounded-pool.js';

/** The SQLSTATE of a write to a server that takes none: a standby, or a primary that is one no more. */
const READ_ONLY = '25006';

/**
 * Connections to the server that may be written to, whichever that is: behind one address, another
 * server may take its place. A connection that leads to a standby is never used, as it would read what
 * is old. When a write is refused for that, all connections are left, and the next are made anew.
 */
export class PrimaryPool extends BoundedPool {
  private readonly connections = new Set<pg.PoolClient>();
  private readonly left = new WeakSet<pg.PoolClient>();

  constructor(options: pg.PoolConfig) {
    super({
      ...options,
      verify: (client, done) => void refuseReadOnly(client, options.connectionTimeoutMillis).then(done),
    });
    this.on('connect', (client) => this.connections.add(client));
    this.on('remove', (client) => this.connections.delete(client));
    this.on('release', (error: Error | boolean | undefined, client) => {
      if (this.left.has(client)) void client.end();
      else if (error instanceof Error && 'code' in error && error.code === READ_ONLY) this.leave();
    });
  }

  /** Closes the connections that are idle now, and each of the others when it comes back. */
  private leave(): void {
    for (const connection of this.connections) this.left.add(connection);
    for (let { idleCount } = this; idleCount > 0; idleCount--) {
      this.connect((_error, _client, release) => release(true));
    }
  }
}

/** Resolves with the reason why a new connection is of no use; undefined when it is fit. */
async function refuseReadOnly(
  client: pg.PoolClient,
  timeoutMs: number | undefined,
): Promise<Error | undefined> {
  // A connection that is lost meanwhile fails the statement. Without a listener, it ends the process.
  const leaveItToTheStatement = () => undefined;
  client.on('error', leaveItToTheStatement);
  try {
    const question = { text: 'SHOW transaction_read_only', query_timeout: timeoutMs };
    const { rows } = await client.query<{ transaction_read_only: string }>(question);
    const isReadOnly = rows[0]?.transaction_read_only === 'on';
    return isReadOnly
      ? new Unavailable(new Error('the database takes no writes: it is a standby'))
      : undefined;
  } catch (error) {
    return error as Error;
  } finally {
    client.off('error', leaveItToTheStatement);
  }
}
