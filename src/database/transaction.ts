import type { ClientBase } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { isDatabaseUnavailable } from './database-unavailable.js';
import type { QueryOptions } from './query-options.js';
import { Session } from './session.js';

/** A session on a separate connection. Either all of its statements take effect, or none does. */
export class Transaction extends Session {
  private readonly commitListeners: (() => void)[] = [];

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: ClientBase,
    options: QueryOptions,
  ) {
    super(client, options);
  }

  /** Runs work in a transaction. Rolls back if the work throws. */
  static async run<Result>(
    dataSource: DataSource,
    options: QueryOptions,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const runner = dataSource.createQueryRunner();
    const transaction = new Transaction(runner, (await runner.connect()) as ClientBase, options);
    try {
      await transaction.begin();
      const result = await work(transaction);
      await transaction.withTimeout(runner.commitTransaction());
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

  private async begin(): Promise<void> {
    const { transactionSettings } = this.options;
    await this.withTimeout(this.runner.startTransaction());
    if (transactionSettings) await this.withTimeout(this.runner.query(transactionSettings));
  }

  /** Rolls back. If the connection may be broken, closes it, so that the server rolls back. */
  private async rollBack(cause: unknown): Promise<void> {
    if (isDatabaseUnavailable(cause)) {
      this.closeConnection(cause);
      return;
    }
    await this.withTimeout(this.runner.rollbackTransaction()).catch((error: unknown) => {
      this.closeConnection(error);
    });
  }

  /** TypeORM runs these statements without the timeout of {@link Session.query}. */
  private async withTimeout<Result>(statement: Promise<Result>): Promise<Result> {
    const timeout = setTimeout(
      () => this.closeConnection(new Error('Query read timeout')),
      this.options.queryTimeoutMs,
    );
    try {
      return await statement;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** TypeORM releases a connection that emits an error, and the pool closes it. */
  private closeConnection(error: unknown): void {
    if (!this.runner.isReleased) this.client.emit('error', error);
  }
}
