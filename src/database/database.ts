import { Inject, Injectable, type Type } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, MigrationExecutor } from 'typeorm';

import { CONFIG, type Config } from '../config/config.js';
import { ConnectionLimit } from './connection-limit.js';
import { POOL } from './data-source.js';
import { ENGINE } from './engine.js';
import { Session } from './session.js';
import type { Engine } from './settings.js';
import { Table } from './table.js';
import { Transaction } from './transaction.js';

/** Runs the statements of the repositories on any connection, or several in a transaction. Sheds load. */
@Injectable()
export class Database extends Session {
  /** @internal */
  declare protected readonly limit: ConnectionLimit;
  private hasMigrated = false;
  private pingInFlight: Promise<unknown> | undefined;

  constructor(
    @Inject(POOL) private readonly pool: pg.Pool,
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Config,
    /** @internal The engine of the database, found at start. */
    @Inject(ENGINE) readonly engine: Engine,
  ) {
    super(pool, config, new ConnectionLimit(pool));
  }

  /**
   * Runs work in a transaction. If the work throws, the transaction is rolled back. If a statement fails, the
   * transaction fails too, even if the work catches the error, unless the statement was in a nested transaction. If the
   * connection is lost during the commit, the outcome is unknown.
   *
   * The work must use only the given transaction. Another statement waits for another connection, and fails if none is
   * free within `DATABASE_CONNECT_TIMEOUT_MS`. The embedded database has only one connection.
   *
   * @param waiting the account that waits, because accounts take turns, and the number of characters of long texts that
   *   the work keeps in memory while it waits
   * @throws Unavailable when other work of the account waits for too long, or too much work waits
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    waiting?: { readonly account?: bigint; readonly characters?: number },
  ): Promise<Result> {
    return this.limit.apply(() => Transaction.run(this.dataSource, this.config, work), waiting);
  }

  /** Returns the columns of an entity's table, for statements. */
  table(entity: Type): Table {
    return new Table(this.dataSource.getMetadata(entity));
  }

  /** The numbers of open and idle connections, and of work that waits for admission or for a connection. */
  get load() {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      connections: totalCount,
      idleConnections: idleCount,
      waitingForConnection: waitingCount,
      waitingForTurn: this.limit.waitingCount,
    };
  }

  /** Resolves when the database answers. Concurrent calls share one statement. */
  async ping(): Promise<void> {
    // No limit of requests applies to readiness checks.
    this.pingInFlight ??= this.withoutLimit
      .query({ name: 'ping', text: 'SELECT 1' }, [])
      .finally(() => (this.pingInFlight = undefined));
    await this.pingInFlight;
  }

  /** Returns whether all migrations have run. */
  async isMigrated(): Promise<boolean> {
    if (this.hasMigrated) return true;
    const pending = await new MigrationExecutor(this.dataSource).getPendingMigrations();
    this.hasMigrated = pending.length === 0;
    return this.hasMigrated;
  }
}
