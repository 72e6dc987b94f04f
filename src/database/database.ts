import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

import { CONFIG, type Config } from '../config.js';
import { Session } from './session.js';
import { Transaction } from './transaction.js';

/** Runs the statements of the repositories, each on whatever connection is free, or several in a transaction. */
@Injectable()
export class Database extends Session {
  private readonly pool: Pool;

  constructor(dataSource: DataSource, @Inject(CONFIG) config: Config) {
    const pool = (dataSource.driver as PostgresDriver).master as Pool;
    // The server ends a slow statement by itself; this limit is for a server that does not answer at all.
    super(pool, config.queryTimeoutMs + 500);
    this.pool = pool;
  }

  /**
   * Runs work whose statements all take effect or, when it throws, none. When the connection is lost
   * at the end, nobody knows which.
   *
   * The work asks the database by the transaction alone: there may be no other connection to wait for.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return Transaction.run(this.pool, this.answerTimeoutMs, work);
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.query({ name: 'ping', text: 'SELECT 1' }, []);
  }
}
