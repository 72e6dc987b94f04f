import { Unavailable } from '../domain/domain-error.js';
import { recordRejection, type Refusal } from './database.diagnostics.js';

/** An entry is rejected at once when its expected wait is longer. */
const MAX_EXPECTED_WAIT_MS = 500;

/** An entry that has waited for this long is rejected. So is a new one when no run has ended for this long. */
const MAX_WAIT_MS = 2000;

/** How many entries may wait, and how many characters they may hold. */
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 16 * 1024 ** 2;

/** The share of the latest run in the moving average of durations. */
const WEIGHT = 1 / 8;

/** Something that waits for its run. */
export interface QueueEntry {
  /** How many characters of text it holds. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
}

export interface QueueOptions<Entry> {
  /** The label of rejections in the metrics. */
  readonly label: Refusal['by'];
  /** How many runs may be under way at a time. */
  readonly concurrency: number;
  /** How many entries a run takes at most. */
  readonly maxEntries: number;
  /** How many of the waiting entries, counted from the first, the next run takes. At least one. */
  readonly countForRun?: (waiting: readonly Entry[]) => number;
}

/**
 * A queue in front of the database that keeps waiting times short: it rejects at once what would wait too long, and
 * later what has waited too long all the same.
 *
 * Until the first run has ended, nothing is rejected for its waiting time: connections are still being opened.
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

  /** Has an entry wait for a run, or rejects it. */
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
    if (!this.isWarm || (this.running < concurrency && !this.isScheduled)) return false;
    const sinceProgressMs = now - this.progressAt;
    const paceMs = this.averageRunMs / concurrency;
    const runsAhead = Math.floor(this.waiting.length / maxEntries);
    const expectedWaitMs = Math.max(0, paceMs - sinceProgressMs) + runsAhead * paceMs;
    return expectedWaitMs > MAX_EXPECTED_WAIT_MS || sinceProgressMs > MAX_WAIT_MS;
  }

  private scheduleRuns(): void {
    const { concurrency, maxEntries } = this.options;
    if (this.isScheduled || this.running >= concurrency) return;
    if (maxEntries === 1) return this.startRuns();
    this.isScheduled = true;
    this.progressAt = performance.now();
    // By then, the requests that have arrived together are read.
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

  /** From now on, waiting times count. */
  private warmUp(now: number): void {
    this.isWarm = true;
    for (const waiting of this.waiting) waiting.since = now;
    this.scheduleExpiry();
  }

  private take(): Entry[] {
    const { maxEntries, countForRun } = this.options;
    const candidates = this.waiting.slice(0, maxEntries).map(({ entry }) => entry);
    const count = countForRun ? countForRun(candidates) : candidates.length;
    return this.remove(count);
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
