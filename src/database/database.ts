import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';

import { CONFIG, type Config } from '../config/config.js';
import { ConnectionSubscriber } from './connection.subscriber.js';
import { ENGINE, type Engine } from './engine.js';
import { LimitedSession } from './limited-session.js';
import { hasPendingMigrations } from './migrate/migrate.js';
import { POOL } from './pool/pool.module.js';
import { PrimaryPool } from './pool/primary-pool.js';
import { queryOptions } from './query-options.js';
import { Transaction } from './transaction.js';

/** The time that the service waits after `statement_timeout`, with which the server itself cancels slow statements. */
const RESPONSE_GRACE_MS = 500;

/**
 * Runs the statements of the repositories: single ones on any connection, or several in a transaction. Rejects work at
 * once if its expected wait for a connection is too long.
 */
@Injectable()
export class Database extends LimitedSession {
  private hasMigrated = false;
  private pingInFlight: Promise<unknown> | undefined;

  constructor(
    @Inject(POOL) pool: pg.Pool,
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Config,
    /** The engine of the database, found at start. */
    @Inject(ENGINE) readonly engine: Engine,
  ) {
    const options = queryOptions(config, config.queryTimeoutMs + RESPONSE_GRACE_MS);
    super(pool, options);
    dataSource.subscribers.push(
      new ConnectionSubscriber(options.queryTimeoutMs, (error) => this.replaceConnectionsAfter(error)),
    );
  }

  /**
   * Runs work in a transaction. If the work throws, the transaction is rolled back. If a statement fails, the
   * transaction fails too, even if the work catches the error, unless the statement was in a nested transaction. If the
   * connection is lost during the commit, the outcome is unknown.
   *
   * The work must use only the given transaction. Another statement waits for another connection, and fails if none is
   * free within `DATABASE_CONNECT_TIMEOUT_MS`. The embedded database has only one connection.
   *
   * @throws Unavailable when the expected wait is too long
   */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    try {
      return await this.limit(() => Transaction.run(this.dataSource, this.options, work));
    } catch (error) {
      this.replaceConnectionsAfter(error);
      throw error;
    }
  }

  /** The numbers of open and idle connections, and of work that waits for admission or for a connection. */
  get load() {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      connections: totalCount,
      idleConnections: idleCount,
      waitingForConnection: waitingCount,
      waitingForTurn: this.waitingCount,
    };
  }

  /** Resolves when the database answers. Concurrent calls share one statement. */
  async ping(): Promise<void> {
    // No limit of requests applies to readiness checks.
    this.pingInFlight ??= this.batchSession
      .query({ name: 'ping', text: 'SELECT 1' }, [])
      .finally(() => (this.pingInFlight = undefined));
    await this.pingInFlight;
  }

  /** Returns whether all migrations have run. */
  async isMigrated(): Promise<boolean> {
    this.hasMigrated ||= !(await hasPendingMigrations(this.dataSource));
    return this.hasMigrated;
  }

  /** TypeORM does not report the errors of its statements to the pool. */
  private replaceConnectionsAfter(error: unknown): void {
    if (this.pool instanceof PrimaryPool) this.pool.replaceConnectionsAfter(error);
  }
}
