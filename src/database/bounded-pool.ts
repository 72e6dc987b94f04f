import pg from 'pg';

import { Unavailable } from '../domain/domain-error.js';

/** How long a statement may have to wait for a connection, and how many may wait. */
const MAX_WAIT_MS = 500;
const MAX_WAITING = 5000;

/** How much of the estimate one connection that comes free makes up. */
const WEIGHT = 1 / 32;

/**
 * pg's pool, which lets all wait that come, and fails them after the timeout. This one refuses at
 * once what would wait too long, so that what it takes is answered in time, and costs nothing while
 * a connection is free.
 */
export class BoundedPool extends pg.Pool {
  /** The time from one connection that comes free to the next, on average, while others wait for it. */
  private intervalMs = 0;
  /** When the last one came free, or the first began to wait. */
  private progressAt = 0;

  constructor(options: pg.PoolConfig) {
    super(options);
    this.on('release', () => this.noteRelease());
  }

  /** @throws Unavailable */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (this.isFull() && this.isSwamped()) {
      const error = new Unavailable(new Error('too many wait for a connection'));
      return callback ? callback(error, undefined, () => undefined) : Promise.reject(error);
    }
    return callback ? super.connect(callback) : super.connect();
  }

  private isFull(): boolean {
    return this.idleCount === 0 && this.totalCount >= this.options.max;
  }

  private isSwamped(): boolean {
    const { waitingCount } = this;
    if (waitingCount === 0) this.progressAt = performance.now();
    const waitMs = Math.max(waitingCount * this.intervalMs, performance.now() - this.progressAt);
    return waitMs > MAX_WAIT_MS || waitingCount >= MAX_WAITING;
  }

  private noteRelease(): void {
    if (this.waitingCount === 0) return;
    const now = performance.now();
    this.intervalMs += (now - this.progressAt - this.intervalMs) * WEIGHT;
    this.progressAt = now;
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];
