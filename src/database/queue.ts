import { Unavailable } from '../domain/errors.js';
import { refusals } from '../metrics.js';

/** New work is refused while the oldest entry waits longer than this. */
const MAX_OLDEST_WAIT_MS = 1000;

/** The maximum wait of each entry, and the maximum numbers of all that wait and of their characters. */
const MAX_WAIT_MS = 2000;
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 4 * 1024 ** 2;

/** A waiting piece of work. */
export interface QueueEntry {
  /** When it was added, by `performance.now()`. */
  readonly addedAt: number;
  /** The number of characters of its text. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
  /** The account that waits. Entries without an account wait together. */
  readonly account?: bigint | undefined;
  /** The round in which it is served. The queue sets it. */
  round: number;
}

/**
 * A queue in front of the database that sheds load: it refuses new entries of an account while old ones wait for too long.
 * Accounts take turns: each round has one entry of every account.
 */
export abstract class Queue<Entry extends QueueEntry> {
  /** By round, and then by age. */
  private waiting: Entry[] = [];
  private round = 0;
  private characters = 0;
  private running = 0;
  private expiry: NodeJS.Timeout | undefined;

  /**
   * @param label the label of the refusals in the metrics
   * @param concurrency the maximum number of concurrent runs
   */
  constructor(
    private readonly label: 'batch' | 'limit',
    private readonly concurrency: number,
  ) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Handles entries. Never throws. */
  protected abstract run(entries: Entry[]): Promise<void>;

  /** Returns how many of the first waiting entries the next run takes: at least one. */
  protected abstract countForRun(waiting: readonly Entry[]): number;

  /** Adds an entry, or rejects it. */
  protected enqueue(entry: Entry): void {
    const isOfAccount = ({ account }: Entry) => account === entry.account;
    const oldest = this.waiting.find(isOfAccount) ?? entry;
    const isFull = this.waiting.length >= MAX_WAITING || this.characters > MAX_WAITING_CHARACTERS;
    if (isFull || entry.addedAt - oldest.addedAt > MAX_OLDEST_WAIT_MS) return this.refuse(entry);
    const last = this.waiting.findLast(isOfAccount);
    entry.round = last ? last.round + 1 : this.round;
    this.waiting.splice(this.waiting.findLastIndex(({ round }) => round <= entry.round) + 1, 0, entry);
    this.characters += entry.characters;
    this.expiry ??= setTimeout(() => this.refuseExpired(), MAX_WAIT_MS).unref();
    if (this.running < this.concurrency) this.startRuns();
  }

  protected startRuns(): void {
    while (this.waiting.length > 0 && this.running < this.concurrency) {
      this.running++;
      void this.run(this.take(this.countForRun(this.waiting))).then(() => {
        this.running--;
        if (this.waiting.length > 0) this.startRuns();
      });
    }
  }

  private take(count: number): Entry[] {
    const entries = this.waiting.splice(0, count);
    for (const { characters } of entries) this.characters -= characters;
    this.round = entries.at(-1)?.round ?? this.round;
    return entries;
  }

  private refuseExpired(): void {
    const oldest = performance.now() - MAX_WAIT_MS;
    const { true: expired = [], false: waiting = [] } = Object.groupBy(this.waiting, ({ addedAt }) =>
      addedAt <= oldest ? 'true' : 'false',
    );
    this.waiting = waiting;
    for (const entry of expired) {
      this.characters -= entry.characters;
      this.refuse(entry);
    }
    const nextAt = Math.min(...waiting.map(({ addedAt }) => addedAt));
    this.expiry =
      waiting.length > 0 ? setTimeout(() => this.refuseExpired(), nextAt - oldest).unref() : undefined;
  }

  private refuse({ reject }: Entry): void {
    refusals.inc({ by: this.label });
    reject(new Unavailable(new Error('too much work waits for the database')));
  }
}
