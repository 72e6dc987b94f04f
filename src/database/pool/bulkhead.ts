import { AdmissionQueue, type QueueEntry } from '../admission-queue.js';

interface Turn extends QueueEntry {
  readonly begin: (end: () => void) => void;
}

/** Limits the work that uses connections at a time. Other work waits. */
export class Bulkhead {
  private readonly turns: AdmissionQueue<Turn>;

  constructor(concurrency: number) {
    this.turns = new AdmissionQueue(([turn]) => new Promise<void>((end) => turn?.begin(end)), {
      label: 'bulkhead',
      concurrency,
      maxEntries: 1,
    });
  }

  /** The number of waiting pieces of work. */
  get waitingCount(): number {
    return this.turns.waitingCount;
  }

  /** @throws Unavailable when the expected wait is too long */
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
