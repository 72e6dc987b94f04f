import { Duplex } from 'node:stream';

import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

import { BoundedPool } from '../pool/bounded-pool.js';
import { DirectoryLock } from './directory-lock.js';
import { PLANNING } from '../pool/planning.js';

/**
 * A driver for TypeORM that is pg itself, talking PostgreSQL's protocol to a PGlite in this process
 * instead of a server over a socket. So types, errors and prepared statements are those of pg.
 *
 * PGlite has one session. A pool of one connection leases it, first come first served, until it is
 * released: what runs in a transaction is never mixed with the statements of others.
 */
export function embeddedDriver(directory: string): typeof pg {
  return { ...pg, Pool: poolOver(new EmbeddedServer(directory)) };
}

/** PGlite in a directory, opened at the first connection, closed with the pool. */
class EmbeddedServer {
  private opened: Promise<PGlite> | undefined;
  private lock: DirectoryLock | undefined;

  constructor(private readonly directory: string) {}

  async session(): Promise<PGlite> {
    const database = await (this.opened ??= this.open());
    // A new connection finds a session as a server would give it.
    await database.exec('ROLLBACK');
    await database.exec('DISCARD ALL');
    for (const [name, value] of Object.entries(PLANNING)) await database.exec(`SET ${name} = ${value}`);
    return database;
  }

  async close(): Promise<void> {
    const database = await this.opened?.catch(() => undefined);
    await database?.close();
    this.lock?.release();
  }

  private async open(): Promise<PGlite> {
    this.lock = DirectoryLock.acquire(this.directory);
    // Loaded by those who use it: it is large.
    const { PGlite } = await import('@electric-sql/pglite');
    return PGlite.create({ dataDir: `${this.directory}/pgdata` });
  }
}

function poolOver(server: EmbeddedServer) {
  return class EmbeddedPool extends BoundedPool {
    constructor({ connectionTimeoutMillis, ...options }: pg.PoolConfig) {
      const session = { max: 1, idleTimeoutMillis: 0, user: 'postgres', database: 'postgres' };
      super({ ...options, ...session, stream: () => new EmbeddedConnection(server) });
      // The first connection opens the database, which takes its time; those that wait for their turn have a limit.
      this.once('connect', () => Object.assign(this.options, { connectionTimeoutMillis }));
    }

    override end(): Promise<void>;
    override end(callback: () => void): void;
    override end(callback?: (error?: unknown) => void): Promise<void> | void {
      const ended = super.end().then(() => server.close());
      if (!callback) return ended;
      ended.then(() => callback(), callback);
    }
  };
}

const TERMINATE = 'X'.charCodeAt(0);

/** What pg takes for a socket to a server. */
class EmbeddedConnection extends Duplex {
  private session: PGlite | undefined;

  constructor(private readonly server: EmbeddedServer) {
    super();
  }

  connect(): this {
    this.server.session().then(
      (session) => {
        this.session = session;
        this.emit('connect');
      },
      (error: unknown) => this.destroy(error as Error),
    );
    return this;
  }

  override _write(
    message: Buffer,
    _encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (message[0] === TERMINATE || !this.session) return callback();
    this.session.execProtocolRaw(message).then((answer) => {
      this.push(answer);
      callback();
    }, callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', callback);
  }

  override _read(): void {
    // Answers are pushed as they come.
  }

  override _final(callback: () => void): void {
    this.push(null);
    callback();
  }

  // pg tunes its socket; there is nothing to tune here.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
