import { Unavailable } from '../domain/domain-error.js';
import { BATCHES, type BatchRun, JOINS, noteRefusal, RUNS } from './database.diagnostics.js';
import { isDatabaseUnavailable } from './database-unavailable.js';

interface Waiting<Item, Result> {
  item: Item;
  size: number;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
}

/** How many items one run takes, and how large they may be together. One that is larger runs alone. */
const MAX_RUN = 256;
const MAX_RUN_SIZE = 4 * 1024 * 1024;

/** How many may wait for the next run, and how large they may be together. */
const MAX_WAITING = 5000;
const MAX_WAITING_SIZE = 64 * 1024 * 1024;

/** Of so many runs with an item alone, one waits for others: a database in this process keeps them from being read. */
const LONE_RUNS = 8;

/** How long an item may have to wait for its run by the pace of late, and how long a run may hang. */
const MAX_EXPECTED_WAIT_MS = 500;
const MAX_STALL_MS = 2000;

/**
 * Does together what is asked for at about the same time: while a run is under way, what arrives
 * waits for the next one, which takes all of it.
 *
 * An item never joins a run that has started. So a read is answered from a snapshot that is younger
 * than its request, and a write is acknowledged after the commit that holds it. When nothing is
 * under way, a run starts as soon as the requests that have arrived together are read, and mostly at once
 * if the last one had an item alone: then requests come one at a time, and one has nothing to wait for.
 *
 * What would wait too long is refused when it comes, so that what is taken is answered in time. A run
 * that is merely slow, as the first ones are, is waited for.
 */
export class Batch<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private waitingSize = 0;
  private running = false;
  private startedAt = 0;
  /** How many runs in a row had an item alone. */
  private loneRuns = 0;
  private lastRunMs = 0;
  private paceMs = 0;

  /**
   * @param name what it is called in the metrics
   * @param run answers the items, in their order: all or none, unless it gives promises that differ
   * @param sizeOf how large an item is, in characters of the text it holds; left out: all are small
   */
  constructor(
    private readonly name: string,
    private readonly run: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
    private readonly sizeOf: (item: Item) => number = () => 0,
  ) {}

  /** @throws Unavailable at once when it would wait too long */
  add(item: Item): Promise<Result> {
    const size = this.sizeOf(item);
    if (this.running && this.isSwamped(size)) {
      noteRefusal('batch');
      return Promise.reject(new Unavailable(new Error('too much waits for the database')));
    }
    return new Promise((resolve, reject) => {
      const waiting = { item, size, resolve, reject };
      if (JOINS.hasSubscribers) JOINS.publish(waiting);
      this.waiting.push(waiting);
      this.waitingSize += size;
      if (!this.running) this.schedule();
    });
  }

  private isSwamped(size: number): boolean {
    const { length } = this.waiting;
    if (length >= MAX_WAITING || (length > 0 && this.waitingSize + size > MAX_WAITING_SIZE)) return true;
    const ageMs = performance.now() - this.startedAt;
    const waitMs = Math.max(0, this.paceMs - ageMs) + Math.floor(length / MAX_RUN) * this.paceMs;
    return waitMs > MAX_EXPECTED_WAIT_MS || ageMs > MAX_STALL_MS;
  }

  /** Starts a run, and lets the requests be read first that have arrived already, if there are likely any. */
  private schedule(): void {
    this.running = true;
    this.startedAt = performance.now();
    if (this.loneRuns % LONE_RUNS > 0) void this.start();
    else setImmediate(() => void this.start());
  }

  private async start(): Promise<void> {
    const items = this.take();
    this.loneRuns = items.length === 1 ? this.loneRuns + 1 : 0;
    if (BATCHES.hasSubscribers) BATCHES.publish({ name: this.name, size: items.length } satisfies BatchRun);
    await this.settle(items);
    this.notePace(performance.now() - this.startedAt);
    this.running = false;
    if (this.waiting.length > 0) this.schedule();
  }

  /** One slow run alone, as the first one is, sets no pace. */
  private notePace(runMs: number): void {
    this.paceMs = Math.min(runMs, this.lastRunMs);
    this.lastRunMs = runMs;
  }

  private take(): Waiting<Item, Result>[] {
    let [count, total] = [0, 0];
    for (const { size } of this.waiting) {
      if (count === MAX_RUN || (count > 0 && total + size > MAX_RUN_SIZE)) break;
      count++;
      total += size;
    }
    this.waitingSize -= total;
    return this.waiting.splice(0, count);
  }

  private runTogether(batch: Waiting<Item, Result>[]): Promise<(Result | Promise<Result>)[]> {
    const items = batch.map(({ item }) => item);
    if (!RUNS.hasSubscribers) return this.run(items);
    return RUNS.tracePromise(() => this.run(items), { items: batch });
  }

  private async settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runTogether(batch);
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result | Promise<Result>));
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
