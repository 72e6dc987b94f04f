import type { Pool, QueryResultRow } from 'pg';

import { Bulkhead } from './pool/bulkhead.js';
import type { QueryOptions } from './query-options.js';
import { Session, type Statement } from './session.js';

/** The share of connections for transactions and single statements. Batches use the others. */
const BULKHEAD_SHARE = 0.7;

/** Runs statements on any connection to a server. Rejects one at once if its expected wait is too long. */
export class LimitedSession extends Session {
  /** Runs the statements of batches. Batches limit their load themselves, so no statement is rejected. */
  readonly batchSession: Session;
  private readonly bulkhead: Bulkhead;

  constructor(
    protected readonly pool: Pool,
    options: QueryOptions,
  ) {
    super(pool, options);
    this.batchSession = new Session(pool, options);
    this.bulkhead = new Bulkhead(Math.max(1, Math.round(pool.options.max * BULKHEAD_SHARE)));
  }

  /** The number of statements and transactions that wait for admission. */
  get waitingCount(): number {
    return this.bulkhead.waitingCount;
  }

  /** @throws Unavailable when the expected wait is too long */
  override query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.limit(() => super.query(statement, values));
  }

  /**
   * Runs work that uses a connection.
   *
   * @throws Unavailable when the expected wait is too long
   */
  protected limit<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.bulkhead.run(work);
  }
}
