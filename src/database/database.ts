import { Inject, Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

import { CONFIG, type Config } from '../config/config.js';
import { Bulkhead } from './pool/bulkhead.js';
import { sendingOf } from './sending.js';
import { Session, type Statement } from './session.js';
import { Transaction } from './transaction.js';

/** How many of ten connections the statements of single requests may take, so that the joint ones find one. */
const SHARE = 7;

/**
 * Runs the statements of the repositories, each on whatever connection is free, or several in a transaction.
 * What would wait too long for a connection is refused at once, so that what is taken is answered in time.
 */
@Injectable()
export class Database extends Session {
  /** For a statement that does together what many asked for. There are few of them, and none is refused. */
  readonly joint: Session;
  private readonly pool: Pool;
  private readonly bulkhead: Bulkhead;

  constructor(dataSource: DataSource, @Inject(CONFIG) config: Config) {
    const pool = (dataSource.driver as PostgresDriver).master as Pool;
    // The server ends a slow statement by itself; this limit is for a server that does not answer at all.
    const sending = sendingOf(config, config.queryTimeoutMs + 500);
    super(pool, sending);
    this.joint = new Session(pool, sending);
    this.pool = pool;
    this.bulkhead = new Bulkhead(Math.max(1, Math.round((pool.options.max * SHARE) / 10)));
  }

  /** @throws Unavailable when it would wait too long */
  override query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.bulkhead.run(() => super.query(statement, values));
  }

  /**
   * Runs work whose statements all take effect or, when it throws, none. When the connection is lost
   * at the end, nobody knows which.
   *
   * The work asks the database by the transaction alone: there may be no other connection to wait for.
   *
   * @throws Unavailable when it would wait too long
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.bulkhead.run(() => Transaction.run(this.pool, this.sending, work));
  }

  /** The connections that are open and those of them that are free, and what waits for its turn and for a connection. */
  get load() {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      connections: totalCount,
      idleConnections: idleCount,
      waitingForConnection: waitingCount,
      waitingForTurn: this.bulkhead.waitingCount,
    };
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.joint.query({ name: 'ping', text: 'SELECT 1' }, []);
  }
}
