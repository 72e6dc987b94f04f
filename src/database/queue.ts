import { Unavailable } from '../domain/errors.js';
import { refusals } from '../observability/metrics/metrics.js';

/** New work is refused while the oldest entry waits longer than this. */
const MAX_OLDEST_WAIT_MS = 1000;

/** The maximum wait of an entry. */
const MAX_WAIT_MS = 2000;

/** The maximum number of waiting entries, and of their characters. */
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 16 * 1024 ** 2;

/** A waiting piece of work. */
export interface QueueEntry {
  /** The number of characters of its text. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
}

export interface QueueOptions<Entry> {
  /** The label of the rejections in the metrics. */
  readonly label: 'batch' | 'limit';
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  /** Whether a run starts in the next turn of the event loop: by then, Node has read all requests that arrived together. */
  readonly isDeferred: boolean;
  /** Returns how many of the first waiting entries the next run takes. It takes at least one. */
  readonly countForRun: (waiting: readonly Entry[]) => number;
}

/** A queue in front of the database that sheds load: it refuses new entries while old ones wait for too long. */
export class Queue<Entry extends QueueEntry> {
  private readonly waiting: Entry[] = [];
  /** When each waiting entry was added. */
  private readonly addedAt: number[] = [];
  private characters = 0;
  private running = 0;
  private isScheduled = false;
  private expiry: NodeJS.Timeout | undefined;

  /** @param run handles the entries, and never throws */
  constructor(
    private readonly run: (entries: Entry[]) => Promise<void>,
    private readonly options: QueueOptions<Entry>,
  ) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Adds an entry, or rejects it. */
  add(entry: Entry): void {
    const now = performance.now();
    const [oldest = now] = this.addedAt;
    const isFull = this.waiting.length >= MAX_WAITING || this.characters > MAX_WAITING_CHARACTERS;
    if (isFull || now - oldest > MAX_OLDEST_WAIT_MS) return this.reject(entry);
    this.waiting.push(entry);
    this.addedAt.push(now);
    this.characters += entry.characters;
    this.expiry ??= setTimeout(() => this.rejectExpired(), MAX_WAIT_MS).unref();
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.running >= this.options.concurrency) return;
    if (!this.options.isDeferred) return this.startRuns();
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startRuns();
    });
  }

  private startRuns(): void {
    while (this.waiting.length > 0 && this.running < this.options.concurrency) void this.startRun();
  }

  private async startRun(): Promise<void> {
    this.running++;
    const { countForRun } = this.options;
    await this.run(this.take(Math.max(1, countForRun(this.waiting))));
    this.running--;
    if (this.waiting.length > 0) this.schedule();
  }

  /** Removes the first entries. */
  private take(count: number): Entry[] {
    const entries = this.waiting.splice(0, count);
    this.addedAt.splice(0, count);
    for (const { characters } of entries) this.characters -= characters;
    return entries;
  }

  private rejectExpired(): void {
    const oldest = performance.now() - MAX_WAIT_MS;
    const firstInTime = this.addedAt.findIndex((addedAt) => addedAt > oldest);
    for (const entry of this.take(firstInTime < 0 ? this.waiting.length : firstInTime)) this.reject(entry);
    const [next] = this.addedAt;
    this.expiry =
      next === undefined ? undefined : setTimeout(() => this.rejectExpired(), next - oldest).unref();
  }

  private reject({ reject }: Entry): void {
    refusals.inc({ by: this.options.label });
    reject(new Unavailable(new Error('too much work waits for the database')));
  }
}
