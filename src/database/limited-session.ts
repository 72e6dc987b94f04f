import type { Pool, QueryResultRow } from 'pg';

import type { Config } from '../config/config.js';
import { Queue, type QueueEntry } from './queue.js';
import { Session, type Statement } from './session.js';

/** The share of connections for transactions and single statements. Batches use the others. */
const LIMIT_SHARE = 0.7;

interface Turn extends QueueEntry {
  readonly begin: (end: () => void) => void;
}

/** Grants turns to work that uses a connection. */
class Turns extends Queue<Turn> {
  /** Waits for a turn, and returns the function that ends it. */
  next(): Promise<() => void> {
    return new Promise((begin, reject) => {
      this.enqueue({ addedAt: performance.now(), characters: 0, begin, reject });
    });
  }

  protected override countForRun = () => 1;

  protected override run([turn]: Turn[]): Promise<void> {
    return new Promise((end) => turn?.begin(end));
  }
}

/** Runs statements on any connection to a server. Rejects one while others wait for too long. */
export class LimitedSession extends Session {
  /** Runs the statements of batches. Batches limit their load themselves, so no statement is rejected. */
  readonly batchSession: Session;
  /** The statements and transactions that wait for admission. */
  protected readonly turns: Turns;

  constructor(
    protected readonly pool: Pool,
    config: Config,
  ) {
    super(pool, config);
    this.batchSession = new Session(pool, config);
    this.turns = new Turns('limit', Math.max(1, Math.round(pool.options.max * LIMIT_SHARE)));
  }

  /** @throws Unavailable when other work waits for too long */
  override query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.withConnection(() => super.query(statement, values));
  }

  /**
   * Runs work that uses a connection.
   *
   * @throws Unavailable when other work waits for too long
   */
  protected async withConnection<Result>(work: () => Promise<Result>): Promise<Result> {
    const end = await this.turns.next();
    try {
      return await work();
    } finally {
      end();
    }
  }
}
