import { Unavailable } from '../domain/errors.js';
import { refusals } from '../metrics.js';

/** New work is refused while the oldest entry waits longer than this. */
const MAX_OLDEST_WAIT_MS = 1000;

/** The maximum wait of each entry, and the maximum numbers of all that wait and of their characters. */
const MAX_WAIT_MS = 2000;
const MAX_WAITING = 5000;
const MAX_WAITING_CHARACTERS = 8 * 1024 ** 2;

/** The maximum share of an account in what waits, so that one account leaves room for others. */
const ACCOUNT_SHARE = 0.5;

/** A waiting piece of work. */
export interface QueueEntry {
  /** When it was added, by `performance.now()`. */
  readonly addedAt: number;
  /** The number of characters of its text. */
  readonly characters: number;
  readonly reject: (error: Unavailable) => void;
  /** The account that waits. Entries without an account wait together. */
  readonly account?: bigint | undefined;
}

/** The account that waits, and the length of what it keeps in memory. */
export type Waiting = Partial<Pick<QueueEntry, 'account' | 'characters'>>;

/**
 * A queue in front of the database that sheds load: it refuses new entries when it is full, those of an account while its
 * oldest one waits for too long or its entries take half of the room, and entries that have waited for too long. Accounts
 * take turns.
 */
export abstract class Queue<Entry extends QueueEntry> {
  /**
   * The entries of each account by age, in the order of the turns. Each run makes a new map: V8 links the tables of a map
   * when it replaces them, so that one map would keep old entries in memory.
   */
  private waiting = new Map<bigint | undefined, Entry[]>();
  private count = 0;
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
    return this.count;
  }

  /** Handles entries. Never throws. */
  protected abstract run(entries: Entry[]): Promise<void>;

  /** Begins a run. Returns a function that decides whether the run takes one more entry: it always takes the first. */
  protected abstract beginRun(): (entry: Entry) => boolean;

  protected enqueue(entry: Entry): void {
    const ofAccount = this.waiting.get(entry.account) ?? [];
    const [oldest = entry] = ofAccount;
    const isLate = entry.addedAt - oldest.addedAt > MAX_OLDEST_WAIT_MS;
    if (isLate || this.isFull(1) || (entry.account !== undefined && this.isFull(ACCOUNT_SHARE, ofAccount))) {
      return this.refuse(entry);
    }
    ofAccount.push(entry);
    this.waiting.set(entry.account, ofAccount);
    this.count++;
    this.characters += entry.characters;
    this.expiry ??= setTimeout(() => this.refuseExpired(), MAX_WAIT_MS).unref();
    if (this.running < this.concurrency) this.startRuns();
  }

  /** Returns whether entries, by default all, take a share of the room. */
  private isFull(share: number, entries?: Entry[]): boolean {
    if ((entries?.length ?? this.count) >= share * MAX_WAITING) return true;
    const maxCharacters = share * MAX_WAITING_CHARACTERS;
    if (this.characters <= maxCharacters) return false;
    return !entries || entries.reduce((sum, { characters }) => sum + characters, 0) > maxCharacters;
  }

  protected startRuns(): void {
    while (this.count > 0 && this.running < this.concurrency) {
      this.running++;
      void this.run(this.take(this.beginRun())).then(() => {
        this.running--;
        if (this.count > 0) this.startRuns();
      });
    }
  }

  /** Takes the oldest entry of each account in turn, as many as the run takes. */
  private take(takes: (entry: Entry) => boolean): Entry[] {
    const taken: Entry[] = [];
    const turns = [...this.waiting];
    for (const [account, entries] of turns) {
      const [entry] = entries;
      if (!entry || !takes(entry)) break;
      taken.push(entry);
      this.removeOldest(entries);
      if (entries.length > 0) turns.push([account, entries]);
    }
    this.waiting = new Map(turns.slice(taken.length));
    return taken;
  }

  private removeOldest(entries: Entry[]): void {
    this.count--;
    this.characters -= entries.shift()?.characters ?? 0;
  }

  private refuseExpired(): void {
    const now = performance.now();
    let oldestAt = now;
    for (const [account, entries] of this.waiting) {
      for (const entry of [...entries]) {
        if (entry.addedAt > now - MAX_WAIT_MS) break;
        this.removeOldest(entries);
        this.refuse(entry);
      }
      if (entries.length === 0) this.waiting.delete(account);
      oldestAt = Math.min(oldestAt, entries[0]?.addedAt ?? now);
    }
    const expiresInMs = oldestAt + MAX_WAIT_MS - now;
    this.expiry = this.count > 0 ? setTimeout(() => this.refuseExpired(), expiresInMs).unref() : undefined;
  }

  private refuse({ reject }: Entry): void {
    refusals.inc({ by: this.label });
    reject(new Unavailable(new Error('too much work waits for the database')));
  }
}
