import type pg from 'pg';

import { Pool } from '../connections/pool.js';
import { EmbeddedConnection } from './embedded-connection.js';
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
