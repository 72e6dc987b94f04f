import { context, type Context } from '@opentelemetry/api';

import { batchItems } from '../metrics.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Queue, type QueueEntry } from './queue.js';

const MAX_RUN_ITEMS = 256;
/** The maximum number of rows that a run reads. It limits the memory for rows with long texts. */
const MAX_RUN_ROWS = 400;
/** The maximum number of characters of a run whose items are texts. */
const MAX_RUN_CHARACTERS = 1024 ** 2;

/** The properties of the items of a batch. */
export interface BatchOptions<Item> {
  /** Returns the number of rows with long texts that an item can read. Default: 0 */
  readonly rowsOf?: (item: Item) => number;
  /** Returns a key, which equal items have in common. Equal items that wait share a result. Default: all differ */
  readonly keyOf?: (item: Item) => string;
}

interface Entry<Item, Result> extends QueueEntry {
  readonly item: Item;
  readonly key: string | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The trace of the request. */
  readonly trace: Context;
}

/**
 * Batches concurrent items into runs. While a run is in progress, new items wait for the next run, which takes all of
 * them, up to the limits. An item beyond a limit runs alone.
 *
 * An item never joins a run that has started. So the snapshot of a read is never older than its request, and a write is
 * acknowledged only after its commit.
 */
export class Batch<Item, Result> extends Queue<Entry<Item, Result>> {
  /** The results of the items that wait, by their keys. */
  private shared = new Map<string | undefined, Promise<Result>>();

  /**
   * @param name the name in the metrics
   * @param runItems returns the results in the order of the items. It handles all items or none
   */
  constructor(
    private readonly name: string,
    private readonly runItems: (items: Item[]) => Promise<Result[]>,
    private readonly options: BatchOptions<Item> = {},
  ) {
    super('batch', 1);
  }

  /**
   * Adds an item to the next run.
   *
   * @throws Unavailable when other items wait for too long
   */
  add(item: Item): Promise<Result> {
    const key = this.options.keyOf?.(item);
    const other = this.shared.get(key);
    if (other) return other;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const characters = typeof item === 'string' ? item.length : 0;
    const addedAt = performance.now();
    const trace = context.active();
    const isWaiting = this.enqueue({ item, key, characters, addedAt, trace, resolve, reject });
    if (isWaiting && key !== undefined) this.shared.set(key, promise);
    return promise;
  }

  /** Waits for the next turn of the event loop: by then, Node has read all requests that arrived together. */
  protected override startRuns(): void {
    setImmediate(super.startRuns.bind(this));
  }

  protected override countForRun(waiting: readonly Entry<Item, Result>[]): number {
    let count = 0;
    let rows = 0;
    let characters = 0;
    for (const entry of waiting) {
      rows += this.options.rowsOf?.(entry.item) ?? 0;
      characters += entry.characters;
      if (count === MAX_RUN_ITEMS || rows > MAX_RUN_ROWS || characters > MAX_RUN_CHARACTERS) break;
      count++;
    }
    return Math.max(1, count);
  }

  protected override take(count: number): Entry<Item, Result>[] {
    const entries = super.take(count);
    for (const { key } of entries) this.shared.delete(key);
    // V8 links the tables of a Map when it replaces them. Those of a single Map would keep all results in memory until a
    // full garbage collection.
    this.shared = new Map(this.shared);
    return entries;
  }

  protected override async run(entries: Entry<Item, Result>[]): Promise<void> {
    const items = entries.map(({ item }) => item);
    batchItems.observe({ batch: this.name }, items.length);
    try {
      // The trace of the first request contains the statement. Its whole asynchronous context would stay in memory with
      // the statement.
      const trace = entries[0]?.trace ?? context.active();
      const results = await context.with(trace, this.runItems, undefined, items);
      for (const [index, { resolve }] of entries.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (entries.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of entries) reject(error);
        return;
      }
      // One item caused the error, and the run had no effect. Ever smaller runs find that item.
      const half = Math.ceil(entries.length / 2);
      await this.run(entries.slice(0, half));
      await this.run(entries.slice(half));
    }
  }
}
