import { Unavailable } from '../domain/domain-error.js';
import { recordRejection, type Rejection } from './database.diagnostics.js';

/** The maximum expected wait of a new entry. */
const MAX_EXPECTED_WAIT_MS = 500;

/** The maximum wait of an entry. New entries are also rejected if no run can start, and none has ended for this time. */
const MAX_WAIT_MS = 2000;

/** After this time without work, the durations of earlier runs do not predict the next ones. */
const MAX_IDLE_MS = 2000;

/** The maximum number of waiting entries, and of their characters. */
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 16 * 1024 ** 2;

/** The share of the latest run in the moving average of durations. */
const WEIGHT = 1 / 8;

/** A waiting piece of work. */
export interface QueueEntry {
  /** The number of characters of its text. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
}

export interface QueueOptions<Entry> {
  /** The label of the rejections in the metrics. */
  readonly label: Rejection['by'];
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  /** The maximum number of entries of a run. */
  readonly maxEntries: number;
  /** Returns how many of the first waiting entries the next run takes. It takes at least one. */
  readonly countForRun?: (waiting: readonly Entry[]) => number;
}

/**
 * A queue in front of the database that sheds load. It rejects entries whose expected wait is too long, and entries
 * that have waited too long.
 *
 * Until the first run has ended, it rejects no entry for its wait, because connections are still being opened.
 */
export class AdmissionQueue<Entry extends QueueEntry> {
  private waiting: { readonly entry: Entry; since: number }[] = [];
  private waitingCharacters = 0;
  private running = 0;
  private isScheduled = false;
  private isWarm = false;
  /** When a run was last scheduled, started or ended. */
  private progressAt = 0;
  private averageRunMs = 0;
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
    if (this.isFull(entry) || this.isOverloaded(now)) return this.reject(entry);
    this.waiting.push({ entry, since: now });
    this.waitingCharacters += entry.characters;
    this.scheduleExpiry();
    this.scheduleRuns();
  }

  private isFull({ characters }: Entry): boolean {
    const { length } = this.waiting;
    return (
      length >= MAX_WAITING || (length > 0 && this.waitingCharacters + characters > MAX_WAITING_CHARACTERS)
    );
  }

  private isOverloaded(now: number): boolean {
    const { concurrency, maxEntries } = this.options;
    if (!this.isWarm) return false;
    const isBusy = this.running >= concurrency;
    const sinceProgressMs = now - this.progressAt;
    const intervalMs = this.averageRunMs / concurrency;
    const untilFreeMs = isBusy ? Math.max(0, intervalMs - sinceProgressMs) : 0;
    const runsAhead = Math.floor(this.waiting.length / maxEntries);
    const expectedWaitMs = untilFreeMs + runsAhead * intervalMs;
    return expectedWaitMs > MAX_EXPECTED_WAIT_MS || (isBusy && sinceProgressMs > MAX_WAIT_MS);
  }

  private scheduleRuns(): void {
    const { concurrency, maxEntries } = this.options;
    if (this.isScheduled || this.running >= concurrency) return;
    const now = performance.now();
    if (this.running === 0 && now - this.progressAt > MAX_IDLE_MS) this.averageRunMs = 0;
    if (maxEntries === 1) return this.startRuns();
    this.isScheduled = true;
    this.progressAt = now;
    // By then, Node has read all requests that arrived together.
    setImmediate(() => {
      this.isScheduled = false;
      this.startRuns();
    });
  }

  private startRuns(): void {
    while (this.waiting.length > 0 && this.running < this.options.concurrency) void this.startRun();
  }

  private async startRun(): Promise<void> {
    const startedAt = performance.now();
    this.progressAt = startedAt;
    this.running++;
    await this.run(this.take());
    this.running--;
    const endedAt = performance.now();
    this.progressAt = endedAt;
    this.averageRunMs += (endedAt - startedAt - this.averageRunMs) * WEIGHT;
    if (!this.isWarm) this.warmUp(endedAt);
    if (this.waiting.length > 0) this.scheduleRuns();
  }

  /** Starts to limit waits. */
  private warmUp(now: number): void {
    this.isWarm = true;
    for (const waiting of this.waiting) waiting.since = now;
    this.scheduleExpiry();
  }

  private take(): Entry[] {
    const { maxEntries, countForRun } = this.options;
    const candidates = this.waiting.slice(0, maxEntries).map(({ entry }) => entry);
    const count = countForRun ? countForRun(candidates) : candidates.length;
    return this.remove(Math.max(1, count));
  }

  /** Removes the first entries. */
  private remove(count: number): Entry[] {
    const entries = this.waiting.splice(0, count).map(({ entry }) => entry);
    for (const { characters } of entries) this.waitingCharacters -= characters;
    return entries;
  }

  private scheduleExpiry(): void {
    const [first] = this.waiting;
    if (!first || !this.isWarm || this.expiry) return;
    const inMs = Math.max(1, first.since + MAX_WAIT_MS - performance.now());
    this.expiry = setTimeout(() => this.rejectExpired(), inMs).unref();
  }

  private rejectExpired(): void {
    const oldest = performance.now() - MAX_WAIT_MS;
    const firstInTime = this.waiting.findIndex(({ since }) => since > oldest);
    for (const entry of this.remove(firstInTime < 0 ? this.waiting.length : firstInTime)) this.reject(entry);
    this.expiry = undefined;
    this.scheduleExpiry();
  }

  private reject({ reject }: Entry): void {
    recordRejection(this.options.label);
    reject(new Unavailable(new Error('too much work waits for the database')));
  }
}
