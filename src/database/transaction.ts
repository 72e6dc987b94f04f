import type { Client, QueryResultRow } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import type { Config } from '../config/config.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Session, type Statement, transactionSettings } from './session.js';

/**
 * A session on a separate connection. Either all of its statements take effect, or none does.
 *
 * Pass it to every method of a service or a repository that takes one. Without it, a method has a transaction of its
 * own, and waits for another connection.
 */
export class Transaction extends Session {
  private readonly commitListeners: (() => void)[] = [];
  private hasEnded = false;

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: Client,
    config: Config,
  ) {
    super(client, config);
  }

  /** Runs work in a transaction. Rolls back if the work throws. */
  static async run<Result>(
    dataSource: DataSource,
    config: Config,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const runner = dataSource.createQueryRunner();
    const transaction = new Transaction(runner, (await runner.connect()) as Client, config);
    try {
      await runner.startTransaction();
      const settings = transactionSettings(config);
      if (settings) await runner.query(settings);
      const result = await Promise.try(work, transaction).finally(() => (transaction.hasEnded = true));
      await runner.commitTransaction();
      for (const listener of transaction.commitListeners) listener();
      return result;
    } catch (error) {
      await transaction.rollBack(error);
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** TypeORM's entity manager on this connection. Its writes are part of the transaction. */
  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** Adds a listener that runs right after the commit. It must not throw. */
  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }

  /** @throws Error after the end of the transaction, because the connection may belong to another one */
  protected override async send<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (this.hasEnded) throw new Error('the transaction has ended');
    return super.send(statement, values);
  }

  /** Rolls back. If the connection may be broken, closes it, so that the server rolls back. */
  private async rollBack(cause: unknown): Promise<void> {
    if (this.runner.isReleased) return;
    // The end is not awaited, because the server may be silent.
    if (isDatabaseUnavailable(cause)) void this.client.end();
    else await this.runner.rollbackTransaction().catch(() => void this.client.end());
  }
}
