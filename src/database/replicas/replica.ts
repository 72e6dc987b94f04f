import type pg from 'pg';

import type { Config } from '../../config/config.js';
import { LimitedSession } from '../limited-session.js';
import type { Statement } from '../session.js';

// Returns no row if the server is not a standby, or receives nothing from the primary.
const POSITION: Statement = {
  name: 'replica-position',
  text: `SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS position
         WHERE pg_is_in_recovery() AND EXISTS (SELECT FROM pg_stat_wal_receiver)`,
};

/**
 * The position of the primary's write-ahead log at a time. Earlier positions contain all writes acknowledged before.
 */
export interface Sample {
  /** By `performance.now()`. */
  readonly at: number;
  readonly position: bigint;
}

/** A standby, and the time up to which it contains all acknowledged writes. */
export class Replica {
  readonly session: LimitedSession;
  /** The standby contains all writes that were acknowledged before this time, by `performance.now()`. */
  caughtUpTo = -Infinity;
  /** The reason why the last refresh failed. */
  error: unknown;
  private isRefreshing = false;

  constructor(
    /** The host and port of the standby. */
    readonly name: string,
    private readonly pool: pg.Pool,
    config: Config,
  ) {
    this.session = new LimitedSession(pool, config);
  }

  /** Reads the position of the standby. Never throws: a standby that does not respond becomes unavailable. */
  async refresh(samples: readonly Sample[]): Promise<void> {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      const [row] = await this.session.batchSession.query<{ position: bigint }>(POSITION, []);
      if (!row) throw new Error('the server is not a standby that receives data from a primary');
      this.caughtUpTo = samples.findLast((sample) => sample.position <= row.position)?.at ?? -Infinity;
      this.error = undefined;
    } catch (error) {
      this.error = error;
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
