import { Duplex } from 'node:stream';

import type { PGlite } from '@electric-sql/pglite';

import type { EmbeddedDatabase } from './embedded-database.js';

/** A connection to PGlite for pg's `stream` option: a duplex stream with some methods of `net.Socket`. */
export class EmbeddedConnection extends Duplex {
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
