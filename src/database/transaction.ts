import type { ClientBase, Pool } from 'pg';

import { isDatabaseUnavailable } from './database-unavailable.js';
import type { Sending } from './sending.js';
import { Session } from './session.js';
import type { WatchedQuery } from './watched-client.js';

/** A session on a connection of its own, whose statements all take effect or none. */
export class Transaction extends Session {
  private readonly listeners: (() => void)[] = [];

  private constructor(
    private readonly client: ClientBase,
    sending: Sending,
  ) {
    super(client, sending);
  }

  /** Runs work in a transaction, which is undone when the work throws. */
  static async run<Result>(
    pool: Pool,
    sending: Sending,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await pool.connect();
    // A connection that is lost between two statements fails the next one. Without a listener, it ends the process.
    const leaveItToTheNextStatement = () => undefined;
    client.on('error', leaveItToTheNextStatement);
    const transaction = new Transaction(client, sending);
    let fault: Error | boolean = false;
    try {
      await transaction.control(sending.begin);
      const result = await work(transaction);
      await transaction.control('COMMIT');
      for (const listener of transaction.listeners) listener();
      return result;
    } catch (error) {
      fault = isDatabaseUnavailable(error) ? (error as Error) : !(await transaction.rollBack());
      throw error;
    } finally {
      client.off('error', leaveItToTheNextStatement);
      // What is left open on a connection that is closed, the server undoes.
      client.release(fault);
    }
  }

  /** Has something done as soon as the statements have taken effect, so that others see it. It must not throw. */
  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Tells whether it is undone, and the connection fit for others. */
  private rollBack(): Promise<boolean> {
    return this.control('ROLLBACK').then(
      () => true,
      () => false,
    );
  }

  private async control(text: string): Promise<void> {
    const query: WatchedQuery = { text, answerTimeoutMs: this.sending.answerTimeoutMs };
    await this.client.query(query);
  }
}
