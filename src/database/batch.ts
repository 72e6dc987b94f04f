import { context, type Context } from '@opentelemetry/api';

import { batchItems } from '../metrics.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Queue, type QueueEntry } from './queue.js';

/** The default of the maximum number of different items of a run. */
const MAX_RUN_ITEMS = 256;
/** The maximum number of rows that a run reads. It limits the time of a run, and the memory for rows with long texts. */
const MAX_RUN_ROWS = 1600;
/** The maximum number of characters of a run whose items are texts. */
const MAX_RUN_CHARACTERS = 1024 ** 2;

export interface BatchOptions<Item> {
  /** The maximum number of different items of a run. */
  readonly maxItems?: number;
  /** Returns the number of rows with long texts that an item can read. Default: 0 */
  readonly rowsOf?: (item: Item) => number;
  /** Returns a key, which equal items have in common. Equal items of a run share a result. Default: all differ */
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
 * them, up to the limits. An item beyond a limit runs alone. If more items wait than a run takes, their accounts take
 * turns.
 *
 * An item never joins a run that has started. So the snapshot of a read is never older than its request, and a write is
 * acknowledged only after its commit.
 */
export class Batch<Item, Result> extends Queue<Entry<Item, Result>> {
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
   * @param account the account whose item it is
   * @throws Unavailable when too many items wait, or those of the account for too long
   */
  add(item: Item, account?: bigint): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const key = this.options.keyOf?.(item);
    const characters = typeof item === 'string' ? item.length : 0;
    const addedAt = performance.now();
    const trace = context.active();
    this.enqueue({ item, key, account, characters, addedAt, trace, resolve, reject });
    return promise;
  }

  /** Waits for the next turn of the event loop: by then, Node has read all requests that arrived together. */
  protected override startRuns(): void {
    setImmediate(super.startRuns.bind(this));
  }

  protected override beginRun(): (entry: Entry<Item, Result>) => boolean {
    const { rowsOf, maxItems = MAX_RUN_ITEMS } = this.options;
    const keys = new Set<unknown>();
    let rows = 0;
    let characters = 0;
    return (entry) => {
      const { item, key = entry } = entry;
      if (keys.has(key)) return true;
      rows += rowsOf?.(item) ?? 0;
      characters += entry.characters;
      const isFull = keys.size === maxItems || rows > MAX_RUN_ROWS || characters > MAX_RUN_CHARACTERS;
      const takes = keys.size === 0 || !isFull;
      keys.add(key);
      return takes;
    };
  }

  protected override async run(entries: Entry<Item, Result>[]): Promise<void> {
    const shares = this.options.keyOf
      ? [...Map.groupBy(entries, ({ key }) => key).values()]
      : entries.map((entry) => [entry]);
    const items = shares.flatMap(([first]) => (first ? [first.item] : []));
    batchItems.observe({ batch: this.name }, items.length);
    try {
      // The trace of the first request contains the statement. Its whole asynchronous context would stay in memory with
      // the statement.
      const trace = entries[0]?.trace ?? context.active();
      const results = await context.with(trace, this.runItems, undefined, items);
      for (const [index, share] of shares.entries()) {
        for (const { resolve } of share) resolve(results[index] as Result);
      }
    } catch (error) {
      if (shares.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of entries) reject(error);
        return;
      }
      // One item caused the error, and the run had no effect. Ever smaller runs find that item.
      const half = Math.ceil(shares.length / 2);
      await this.run(shares.slice(0, half).flat());
      await this.run(shares.slice(half).flat());
    }
  }
}
