import { context, type Context } from '@opentelemetry/api';

import { batchItems } from '../observability/metrics/metrics.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Queue, type QueueEntry } from './queue.js';

/** The maximum number of items of a run. */
const MAX_RUN_ITEMS = 256;

/** The maximum number of characters of a run. A longer item runs alone. */
const MAX_RUN_CHARACTERS = 1024 ** 2;

interface Entry<Item, Result> extends QueueEntry {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The trace of the request. */
  readonly trace: Context;
}

/**
 * Batches concurrent items into runs. While a run is in progress, new items wait for the next run, which takes all of
 * them, up to the limits.
 *
 * An item never joins a run that has started. So the snapshot of a read is never older than its request, and a write is
 * acknowledged only after its commit.
 */
export class Batch<Item, Result> {
  private readonly queue: Queue<Entry<Item, Result>>;

  /**
   * @param name the name in the metrics
   * @param run returns the results in the order of the items. It handles all items or none
   * @param sizeOf returns the number of characters of an item. Default: 0
   * @param countForRun returns how many of the first items a run may take. It takes at least one. Default: all
   */
  constructor(
    private readonly name: string,
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly sizeOf?: (item: Item) => number,
    countForRun?: (items: readonly Item[]) => number,
  ) {
    this.queue = new Queue((entries) => this.settle(entries), {
      label: 'batch',
      concurrency: 1,
      isDeferred: true,
      countForRun: (waiting) => {
        const entries = withinLimits(waiting);
        return countForRun ? countForRun(entries.map(({ item }) => item)) : entries.length;
      },
    });
  }

  /**
   * Adds an item to the next run.
   *
   * @throws Unavailable when other items wait for too long
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const characters = this.sizeOf?.(item) ?? 0;
      this.queue.add({ item, characters, resolve, reject, trace: context.active() });
    });
  }

  private async settle(entries: Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runInTrace(entries);
      entries.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (entries.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of entries) reject(error);
        return;
      }
      // One item caused the error, and the run had no effect. Ever smaller runs find that item.
      const half = Math.ceil(entries.length / 2);
      await this.settle(entries.slice(0, half));
      await this.settle(entries.slice(half));
    }
  }

  /**
   * Runs in the trace of the first request, so that it contains the statement. Its whole asynchronous context would stay
   * in memory with the statement.
   */
  private runInTrace(entries: Entry<Item, Result>[]): Promise<Result[]> {
    const items = entries.map(({ item }) => item);
    batchItems.observe({ batch: this.name }, items.length);
    const [first] = entries;
    return first ? context.with(first.trace, () => this.run(items)) : Promise.resolve([]);
  }
}

/** Returns the first entries that one run may take. */
function withinLimits<E extends QueueEntry>(waiting: readonly E[]): readonly E[] {
  const entries = waiting.slice(0, MAX_RUN_ITEMS);
  let characters = 0;
  const firstTooMany = entries.findIndex((entry) => (characters += entry.characters) > MAX_RUN_CHARACTERS);
  return firstTooMany < 0 ? entries : entries.slice(0, firstTooMany);
}
