import type { Pool } from 'pg';

import { Queue, type QueueEntry, type Waiting } from './queue.js';

/** The share of connections for transactions and single statements. Batches use the others. */
const LIMIT_SHARE = 0.7;

interface Turn extends QueueEntry {
  readonly begin: (end: () => void) => void;
}

/** Limits how many transactions and single statements use the connections of a pool at a time. */
export class ConnectionLimit extends Queue<Turn> {
  constructor(pool: Pool) {
    super('limit', Math.max(1, Math.round(pool.options.max * LIMIT_SHARE)));
  }

  /** @throws Unavailable when other work of the account waits for too long, or too much work waits */
  async apply<Result>(
    work: () => Promise<Result>,
    { account, characters = 0 }: Waiting = {},
  ): Promise<Result> {
    const end = await new Promise<() => void>((begin, reject) => {
      this.enqueue({ addedAt: performance.now(), account, characters, begin, reject });
    });
    try {
      return await work();
    } finally {
      end();
    }
  }

  protected override beginRun(): () => boolean {
    let count = 0;
    return () => count++ === 0;
  }

  protected override run([turn]: Turn[]): Promise<void> {
    return new Promise((end) => turn?.begin(end));
  }
}
