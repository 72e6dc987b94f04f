import type pg from 'pg';

import { BoundedPool } from '../pool/bounded-pool.js';
import type { Sending } from '../sending.js';
import { Session, type Statement } from '../session.js';

// No row where it is no standby any more, or none that receives what the primary writes.
const POSITION: Statement = {
  name: 'replica-position',
  text: `SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS position
         WHERE pg_is_in_recovery() AND EXISTS (SELECT FROM pg_stat_wal_receiver)`,
};

/** How far the primary's log had come: all that was acknowledged until then lies before. */
export interface Sample {
  /** By `performance.now()`. */
  readonly at: number;
  readonly position: bigint;
}

/** A standby, and how much of what was acknowledged it is known to have. */
export class Replica {
  readonly session: Session;
  /** All that was acknowledged until then is there, by `performance.now()`; -Infinity: nobody knows. */
  freshUntil = -Infinity;
  private readonly pool: pg.Pool;
  private isAsked = false;

  constructor(
    /** Its host and port. */
    readonly name: string,
    options: pg.PoolConfig,
    sending: Sending,
  ) {
    this.pool = new BoundedPool(options);
    // Who asks next is told by the failure of that.
    this.pool.on('error', () => undefined);
    this.session = new Session(this.pool, sending);
  }

  /** Asks how far it has come. It never throws: a standby that does not answer has come nowhere. */
  async refresh(samples: readonly Sample[]): Promise<void> {
    if (this.isAsked) return;
    this.isAsked = true;
    try {
      const { position } = await this.session.queryOne<{ position: bigint }>(POSITION, []);
      this.freshUntil = samples.findLast((sample) => sample.position <= position)?.at ?? -Infinity;
    } catch {
      this.leaveOut();
    } finally {
      this.isAsked = false;
    }
  }

  /** Until it is asked again, it counts for nothing. */
  leaveOut(): void {
    this.freshUntil = -Infinity;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
