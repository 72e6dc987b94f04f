import type { ClientBase, QueryResultRow } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

import type { Config } from '../config/config.js';
import { Session, type Statement } from './session.js';
import { timeoutsOf } from './settings.js';

/**
 * A session on a separate connection. Either all of its statements take effect, or none does.
 *
 * Pass it to every method of a service or a repository that takes one. Without it, a method has a transaction of its
 * own, and waits for another connection.
 */
export class Transaction extends Session {
  private readonly commitListeners: (() => void)[] = [];
  private hasEnded = false;

  /** @param manager TypeORM's entity manager on this connection. Its writes are part of the transaction */
  private constructor(
    client: ClientBase,
    config: Config,
    readonly manager: EntityManager,
  ) {
    super(client, config);
  }

  /** Runs work in a transaction. Rolls back if the work throws. */
  static async run<Result>(
    dataSource: DataSource,
    config: Config,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    let listeners: readonly (() => void)[] = [];
    const result = await dataSource.transaction(async (manager) => {
      // Behind a pooler in transaction mode, a setting of the session would affect other clients; SET LOCAL does not.
      if (config.databasePooler !== undefined) {
        const settings = Object.entries({ ...timeoutsOf(config), transaction_isolation: `'read committed'` });
        await manager.query(settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`).join('; '));
      }
      const client = (await manager.queryRunner?.connect()) as ClientBase;
      const transaction = new Transaction(client, config, manager);
      listeners = transaction.commitListeners;
      return Promise.try(work, transaction).finally(() => (transaction.hasEnded = true));
    });
    for (const listener of listeners) listener();
    return result;
  }

  /** Adds a listener that runs right after the commit. It must not throw. */
  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }

  /** @throws Error after the end of the transaction, because the connection may belong to another one */
  override async query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (this.hasEnded) throw new Error('the transaction has ended');
    return super.query(statement, values);
  }
}
