import type { PoolClient } from 'pg';
import type { EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { isReadOnlyError } from './pool/primary-pool.js';

type BeforeQuery = NonNullable<EntitySubscriberInterface['beforeQuery']>;
type AfterQuery = NonNullable<EntitySubscriberInterface['afterQuery']>;

/**
 * Closes the connection of a statement of TypeORM that gets no response in time, or that a read-only server rejects.
 * TypeORM has no timeout of its own, and returns such a connection to the pool.
 */
export class ConnectionSubscriber implements EntitySubscriberInterface {
  /** The timers of the statements in progress, in their order. */
  private readonly timers = new WeakMap<QueryRunner, NodeJS.Timeout[]>();

  /** @param onReadOnlyError is called when a read-only server rejects a statement */
  constructor(
    private readonly queryTimeoutMs: number,
    private readonly onReadOnlyError: (error: unknown) => void,
  ) {}

  readonly beforeQuery: BeforeQuery = ({ queryRunner }) => {
    const timers = this.timers.get(queryRunner) ?? [];
    timers.push(setTimeout(() => void closeConnection(queryRunner), this.queryTimeoutMs));
    this.timers.set(queryRunner, timers);
  };

  readonly afterQuery: AfterQuery = ({ queryRunner, error }) => {
    clearTimeout(this.timers.get(queryRunner)?.shift());
    if (!isReadOnlyError(error)) return;
    void closeConnection(queryRunner);
    this.onReadOnlyError(error);
  };
}

/** Closes a connection. Its statements fail, and the pool drops it when it is released. */
export async function closeConnection(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  const client = (await runner.connect()) as PoolClient;
  // The end is not awaited, because the server may be silent.
  void client.end();
}
