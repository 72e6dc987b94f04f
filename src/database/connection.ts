import pg from 'pg';

import { isConnectionOutdated, READ_ONLY, recordError } from './database-unavailable.js';

/** The time after which a server that has not answered ROLLBACK counts as lost. One that works answers at once. */
const ROLLBACK_TIMEOUT_MS = 500;

/** The options of a {@link Connection}, in addition to those of pg. */
export interface ConnectionOptions extends pg.ClientConfig {
  /** The time after which a server that has not answered another statement counts as lost. Default: no limit. */
  readonly answerTimeoutMs?: number;
  /** Called when the connection, and all that are as old, can no longer be used, or do not answer. */
  readonly onOutdated?: (connection: pg.Client) => void;
}

type QueryCallback = (error: unknown, result?: pg.QueryResult) => void;

/**
 * A connection to the database for TypeORM and the statements of the service. It ends when the server does not answer in
 * time or is read-only, or when the columns of a prepared statement have changed, and rejects a COMMIT that rolled back.
 * The pool drops a connection that has ended.
 */
export class Connection extends pg.Client {
  /** Whether a server must answer in time. Migrations switch it off, because a statement may take any time. */
  hasTimeout = true;

  constructor(private readonly options: ConnectionOptions = {}) {
    super(options);
    // A lost connection fails the statement. Without a listener, the error would end the process.
    this.on('error', recordError);
  }

  /** Has the overloads of pg's method, which end in a callback or return a promise. */
  override query(...args: unknown[]): never {
    const callback = typeof args.at(-1) === 'function' ? (args.pop() as QueryCallback) : undefined;
    const result = this.run(args);
    if (callback) result.then((rows) => callback(null, rows), callback);
    return (callback ? undefined : result) as never;
  }

  private async run(args: unknown[]): Promise<pg.QueryResult> {
    const { answerTimeoutMs, onOutdated } = this.options;
    const isRollback = args[0] === 'ROLLBACK';
    const timeoutMs = isRollback ? ROLLBACK_TIMEOUT_MS : answerTimeoutMs;
    const giveUp = () => {
      this.destroy();
      // A busy server may need longer for a ROLLBACK. The other connections to it can still be used.
      if (!isRollback) onOutdated?.(this);
    };
    const timer = this.hasTimeout && timeoutMs && setTimeout(giveUp, timeoutMs);
    try {
      const result = await super.query(...(args as [pg.QueryConfig]));
      if (result.command !== 'ROLLBACK' || args[0] !== 'COMMIT') return result;
    } catch (error) {
      if (isConnectionOutdated(error)) {
        void this.end();
        onOutdated?.(this);
      }
      throw recordError(error);
    } finally {
      if (timer) clearTimeout(timer);
    }
    // PostgreSQL answers the COMMIT of a transaction that has a failed statement with ROLLBACK, and without an error.
    throw new Error('the transaction was rolled back, because one of its statements failed');
  }

  /** Closes the connection without the server, which may be silent. A server that hangs behind an error blocks `end()`. */
  private destroy(): void {
    void this.end();
    this.connection.stream.destroy();
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void;

/** A pool of connections to the database, whose errors are recorded. */
export class Pool extends pg.Pool {
  constructor(options: pg.PoolConfig & ConnectionOptions) {
    super(Object.assign({ Client: Connection }, options));
    // The next statement reports the error. Without a listener, the error would end the process.
    this.on('error', () => undefined);
  }

  /** Has the overloads of pg's method, which end in a callback or return a promise. */
  override connect(callback?: ConnectCallback): never {
    if (!callback) {
      return super.connect().catch((error: unknown) => Promise.reject(recordError(error) as Error)) as never;
    }
    super.connect((error, client, release) => callback(error && recordError(error), client, release));
    return undefined as never;
  }
}

/**
 * The connections to the primary. After a failover, another server has the same address. The pool opens no connection to
 * a standby, which could return stale data. When a server rejects a write as read-only, or a prepared statement because
 * columns have changed, or does not answer in time, the pool closes all connections and opens new ones.
 */
export class PrimaryPool extends Pool {
  /** The connections since the last replacement. */
  private current = new WeakSet<pg.ClientBase>();

  constructor(options: pg.PoolConfig & ConnectionOptions) {
    super({
      ...options,
      onOutdated: (connection) => this.replaceConnections(connection),
      verify: (client, done) => void rejectStandby(client).then(() => done(), done),
    });
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
