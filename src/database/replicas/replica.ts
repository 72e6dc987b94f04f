import pg from 'pg';

import type { QueryOptions } from '../query-options.js';
import { Session, type Statement } from '../session.js';

// No row when the server is no standby, or receives nothing from the primary.
const POSITION: Statement = {
  name: 'replica-position',
  text: `SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS position
         WHERE pg_is_in_recovery() AND EXISTS (SELECT FROM pg_stat_wal_receiver)`,
};

/** The position of the primary's write-ahead log at a time. All that was acknowledged before lies below it. */
export interface Sample {
  /** By `performance.now()`. */
  readonly at: number;
  readonly position: bigint;
}

/** A standby, and up to which time it is known to contain what was acknowledged. */
export class Replica {
  readonly session: Session;
  /** The standby contains all that was acknowledged before this time, by `performance.now()`. */
  caughtUpTo = -Infinity;
  private readonly pool: pg.Pool;
  private isRefreshing = false;

  constructor(
    /** Its host and port. */
    readonly name: string,
    poolOptions: pg.PoolConfig,
    queryOptions: QueryOptions,
  ) {
    this.pool = new pg.Pool(poolOptions);
    // The next statement fails when the standby is away. Without a listener, the process would end.
    this.pool.on('error', () => undefined);
    this.session = new Session(this.pool, queryOptions);
  }

  /** Asks the standby for its position. Never throws: a standby that does not answer is unavailable. */
  async refresh(samples: readonly Sample[]): Promise<void> {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      const { position } = await this.session.queryOne<{ position: bigint }>(POSITION, []);
      this.caughtUpTo = samples.findLast((sample) => sample.position <= position)?.at ?? -Infinity;
    } catch {
      this.markUnavailable();
    } finally {
      this.isRefreshing = false;
    }
  }

  /** Excludes the standby until the next refresh. */
  markUnavailable(): void {
    this.caughtUpTo = -Infinity;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
