import { Unavailable } from '../../domain/domain-error.js';
import { noteRefusal } from '../database.diagnostics.js';

/** How long work may have to wait by the pace of late. */
const MAX_EXPECTED_WAIT_MS = 500;

/** How long it waits at most, as the pace may change meanwhile. */
const MAX_WAIT_MS = 900;

/** How much may wait. */
const MAX_WAITING = 5000;

/** How much of the pace the last work that ended makes up. */
const WEIGHT = 1 / 8;

interface Waiting {
  since: number;
  enter: () => void;
  refuse: (error: Unavailable) => void;
}

/**
 * Lets so much work be done at a time, and has the rest wait for its turn. What would wait too long is
 * refused when it comes, and what has waited too long all the same, as the pace has changed, then.
 */
export class Bulkhead {
  private readonly waiting: Waiting[] = [];
  private running = 0;
  /** The time from one work that ends to the next, on average, while other work waits for it. */
  private paceMs = 0;
  /** When work last began at once, or ended. */
  private progressAt = 0;
  /** When the first work ended. Until then, connections are still to be made, which is waited for. */
  private warmAt = Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly size: number) {}

  /** How much waits for its turn. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** @throws Unavailable at once, when it would wait too long, or after 900 ms */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> | undefined {
    const now = performance.now();
    if (this.running < this.size) {
      this.running++;
      this.progressAt = now;
      return undefined;
    }
    if (this.isSwamped(now)) throw refusal();
    return new Promise((enter, refuse) => {
      this.waiting.push({ since: now, enter, refuse });
      this.timer ??= setTimeout(() => this.refuseLate(), MAX_WAIT_MS).unref();
    });
  }

  private isSwamped(now: number): boolean {
    const { length } = this.waiting;
    return (
      length >= MAX_WAITING ||
      length * this.paceMs > MAX_EXPECTED_WAIT_MS ||
      now - Math.max(this.progressAt, this.warmAt) > MAX_EXPECTED_WAIT_MS
    );
  }

  /** Hands the place to the next one. */
  private leave(): void {
    const now = performance.now();
    const next = this.waiting.shift();
    if (next) {
      this.paceMs += (now - Math.max(this.progressAt, next.since) - this.paceMs) * WEIGHT;
      next.enter();
    } else {
      this.running--;
    }
    this.progressAt = now;
    if (this.warmAt === Infinity) this.warmAt = now;
  }

  private refuseLate(): void {
    const now = performance.now();
    const deadlineOf = ({ since }: Waiting) => Math.max(since, Math.min(this.warmAt, now)) + MAX_WAIT_MS;
    const first = this.waiting.findIndex((waiting) => deadlineOf(waiting) > now);
    const late = this.waiting.splice(0, first === -1 ? Infinity : first);
    for (const { refuse } of late) refuse(refusal());
    const [next] = this.waiting;
    this.timer = next && setTimeout(() => this.refuseLate(), deadlineOf(next) - now).unref();
  }
}

function refusal(): Unavailable {
  noteRefusal('bulkhead');
  return new Unavailable(new Error('too many wait for a connection to the database'));
}
