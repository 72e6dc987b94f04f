import { Unavailable } from '../domain/domain-error.js';
import { isDatabaseUnavailable } from './database-unavailable.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How many items one run takes, and how many may wait for the next one. */
const MAX_RUN = 256;
const MAX_WAITING = 5000;

/**
 * Does together what is asked for at about the same time: while a run is under way, what arrives
 * waits for the next one, which takes all of it.
 *
 * An item never joins a run that has started. So a read is answered from a snapshot that is younger
 * than its request, and a write is acknowledged after the commit that holds it. When nothing is
 * under way, a run starts as soon as the requests that have arrived together are read.
 */
export class Batch<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;

  /** @param run answers the items, in their order, all or none */
  constructor(private readonly run: (items: Item[]) => Promise<Result[]>) {}

  /** @throws Unavailable at once when too much waits already */
  add(item: Item): Promise<Result> {
    if (this.waiting.length >= MAX_WAITING) return Promise.reject(new Unavailable(new Error('queue full')));
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) this.schedule();
    });
  }

  /** Lets the requests be read that have arrived already, and starts a run. */
  private schedule(): void {
    this.running = true;
    setImmediate(() => void this.start());
  }

  private async start(): Promise<void> {
    await this.settle(this.waiting.splice(0, MAX_RUN));
    this.running = false;
    if (this.waiting.length > 0) this.schedule();
  }

  private async settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of them is at fault, and nothing was done: each alone tells which.
      for (const one of batch) await this.settle([one]);
    }
  }
}
