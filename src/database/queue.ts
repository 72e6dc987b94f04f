import { Unavailable } from '../domain/errors.js';
import { refusals } from '../metrics.js';

/** New work is refused while the oldest entry waits longer than this. */
const MAX_OLDEST_WAIT_MS = 1000;

/** The maximum wait of each entry, and the maximum numbers of all that wait and of their characters. */
const MAX_WAIT_MS = 2000;
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 16 * 1024 ** 2;

/** A waiting piece of work. */
export interface QueueEntry {
  /** When it was added, by `performance.now()`. */
  readonly addedAt: number;
  /** The number of characters of its text. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
}

/** A queue in front of the database that sheds load: it refuses new entries while old ones wait for too long. */
export abstract class Queue<Entry extends QueueEntry> {
  private readonly waiting: Entry[] = [];
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

  /** Adds an entry, or rejects it. Returns whether it waits. */
  protected enqueue(entry: Entry): boolean {
    const [oldest = entry] = this.waiting;
    const isFull = this.waiting.length >= MAX_WAITING || this.characters > MAX_WAITING_CHARACTERS;
    if (isFull || entry.addedAt - oldest.addedAt > MAX_OLDEST_WAIT_MS) {
      this.refuse(entry);
      return false;
    }
    this.waiting.push(entry);
    this.characters += entry.characters;
    this.expiry ??= setTimeout(() => this.refuseExpired(), MAX_WAIT_MS).unref();
    if (this.running < this.concurrency) this.startRuns();
    return true;
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

  protected take(count: number): Entry[] {
    const entries = this.waiting.splice(0, count);
    for (const { characters } of entries) this.characters -= characters;
    return entries;
  }

  private refuseExpired(): void {
    const now = performance.now();
    const expired = this.waiting.filter(({ addedAt }) => now - addedAt >= MAX_WAIT_MS);
    for (const entry of this.take(expired.length)) this.refuse(entry);
    const [next] = this.waiting;
    this.expiry = next && setTimeout(() => this.refuseExpired(), next.addedAt + MAX_WAIT_MS - now).unref();
  }

  private refuse({ reject }: Entry): void {
    refusals.inc({ by: this.label });
    reject(new Unavailable(new Error('too much work waits for the database')));
  }
}
