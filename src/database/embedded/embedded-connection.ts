import { Duplex } from 'node:stream';

import type { PGlite } from '@electric-sql/pglite';

import type { EmbeddedDatabase } from './embedded-database.js';

/** The type of the message that ends a connection. */
const TERMINATE = 'X'.charCodeAt(0);

/** A connection to PGlite for pg's `stream` option: a duplex stream with some methods of `net.Socket`. */
export class EmbeddedConnection extends Duplex {
  private session: PGlite | undefined;

  constructor(private readonly database: EmbeddedDatabase) {
    super();
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

  override _write(message: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    if (message[0] === TERMINATE || !this.session) return callback();
    this.session.execProtocolRaw(message).then((answer) => {
      this.push(answer);
      callback();
    }, callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', callback);
  }

  override _read(): void {
    // Responses are pushed when they arrive.
  }

  override _final(callback: () => void): void {
    this.push(null);
    callback();
  }
}
