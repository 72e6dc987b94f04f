import type { Pool, QueryResultRow } from 'pg';

import type { Config } from '../config/config.js';
import { Queue, type QueueEntry } from './queue.js';
import { Session, type Statement } from './session.js';

/** The share of connections for transactions and single statements. Batches use the others. */
const LIMIT_SHARE = 0.7;

interface Turn extends QueueEntry {
  readonly begin: (end: () => void) => void;
}

/** Runs statements on any connection to a server. Rejects one while others wait for too long. */
export class LimitedSession extends Session {
  /** Runs the statements of batches. Batches limit their load themselves, so no statement is rejected. */
  readonly batchSession: Session;
  private readonly turns: Queue<Turn>;

  constructor(
    protected readonly pool: Pool,
    config: Config,
  ) {
    super(pool, config);
    this.batchSession = new Session(pool, config);
    this.turns = new Queue(([turn]) => new Promise<void>((end) => turn?.begin(end)), {
      label: 'limit',
      concurrency: Math.max(1, Math.round(pool.options.max * LIMIT_SHARE)),
      isDeferred: false,
      countForRun: () => 1,
    });
  }

  /** The number of statements and transactions that wait for admission. */
  get waitingCount(): number {
    return this.turns.waitingCount;
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
    const end = await new Promise<() => void>((begin, reject) =>
      this.turns.add({ characters: 0, begin, reject }),
    );
    try {
      return await work();
    } finally {
      end();
    }
  }
}
