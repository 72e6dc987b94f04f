import type { ClientBase, Pool } from 'pg';

import { isDatabaseUnavailable } from './database-unavailable.js';
import type { QueryOptions } from './query-options.js';
import { Session, type TimedQuery } from './session.js';

/** A session on a connection of its own. All of its statements take effect, or none does. */
export class Transaction extends Session {
  private readonly commitListeners: (() => void)[] = [];

  private constructor(
    private readonly client: ClientBase,
    options: QueryOptions,
  ) {
    super(client, options);
  }

  /** Runs work in a transaction, and rolls back when the work throws. */
  static async run<Result>(
    pool: Pool,
    options: QueryOptions,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await pool.connect();
    // A connection that is lost between two statements fails the next one. Without a listener, the process would end.
    const ignore = () => undefined;
    client.on('error', ignore);
    const transaction = new Transaction(client, options);
    let connectionError: Error | boolean = false;
    try {
      await transaction.control(options.begin);
      const result = await work(transaction);
      await transaction.control('COMMIT');
      for (const listener of transaction.commitListeners) listener();
      return result;
    } catch (error) {
      connectionError = isDatabaseUnavailable(error) ? (error as Error) : !(await transaction.rollBack());
      throw error;
    } finally {
      client.off('error', ignore);
      // With an error, the pool closes the connection, and the server rolls back what is open.
      client.release(connectionError);
    }
  }

  /** Adds a listener that runs right after the commit. It must not throw. */
  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }

  /** Returns whether the connection is fit for others. */
  private rollBack(): Promise<boolean> {
    return this.control('ROLLBACK').then(
      () => true,
      () => false,
    );
  }

  /** Runs one or more statements that return no rows. */
  private async control(text: string): Promise<void> {
    const query: TimedQuery = { text, query_timeout: this.options.queryTimeoutMs };
    await this.client.query(query);
  }
}
