import { Duplex } from 'node:stream';

import type { PGlite } from '@electric-sql/pglite';
import type pg from 'pg';

import { Pool } from '../connection.js';
import { EmbeddedDatabase } from './embedded-database.js';

/**
 * A pool of pg that connects to a PGlite in this process instead of a server. pg uses PostgreSQL's protocol, so types,
 * errors and prepared statements work as with a server.
 *
 * PGlite has one session, so the pool has one connection. A transaction holds it until its end.
 */
export class EmbeddedPool extends Pool {
  private readonly database: EmbeddedDatabase;

  constructor(directory: string, { connectionTimeoutMillis, ...options }: pg.PoolConfig) {
    const database = new EmbeddedDatabase(directory);
    super({
      ...options,
      max: 1,
      idleTimeoutMillis: 0,
      user: 'postgres',
      database: 'postgres',
      stream: () => new EmbeddedConnection(database),
    });
    this.database = database;
    // The first connection creates or recovers the database, which may take longer than the timeout.
    this.once('connect', () => Object.assign(this.options, { connectionTimeoutMillis }));
  }

  override async end(callback?: () => void): Promise<void> {
    await super.end();
    await this.database.close();
    callback?.();
  }
}

/** A connection to PGlite for pg's `stream` option: a duplex stream with some methods of `net.Socket`. */
class EmbeddedConnection extends Duplex {
  private session: PGlite | undefined;

  constructor(private readonly database: EmbeddedDatabase) {
    // Responses are pushed when they arrive.
    super({ read: () => undefined });
  }

  connect(): this {
    this.database.newSession().then(
      (session) => {
        this.session = session;
        this.emit('connect');
      },
      (error: unknown) => this.destroy(error as Error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    if (!this.session) return callback();
    const message = Buffer.concat(chunks.map(({ chunk }) => chunk));
    const parts: Buffer[] = [];
    const onRawData = (part: Uint8Array) => parts.push(Buffer.from(part));
    // `execProtocolRaw` would also parse the response, and keep the result in memory.
    this.session.execProtocolRawStream(message, { onRawData }).then(() => {
      this.push(Buffer.concat(parts));
      callback();
    }, callback);
  }

  override _final(callback: () => void): void {
    this.push(null);
    callback();
  }
}
