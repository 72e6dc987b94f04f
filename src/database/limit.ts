import { Queue, type QueueEntry } from './queue.js';

interface Turn extends QueueEntry {
  readonly begin: (end: () => void) => void;
}

/** Limits the pieces of work that run at a time. Other work waits. */
export class Limit {
  private readonly turns: Queue<Turn>;

  constructor(concurrency: number) {
    this.turns = new Queue(([turn]) => new Promise<void>((end) => turn?.begin(end)), {
      label: 'limit',
      concurrency,
      isDeferred: false,
      countForRun: () => 1,
    });
  }

  /** The number of waiting pieces of work. */
  get waitingCount(): number {
    return this.turns.waitingCount;
  }

  /** @throws Unavailable when other work waits for too long */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
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
