import pg from 'pg';

import { Unavailable } from '../domain/domain-error.js';

/** How long a statement may have to wait for a connection by the pace of late, and how many may wait. */
const MAX_WAIT_MS = 500;
const MAX_WAITING = 5000;

/** How long no connection may come free. What is merely slow, as the first statements are, is waited for. */
const MAX_STALL_MS = 2000;

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
  /** When the last one came free or was made, or the first began to wait. */
  private progressAt = 0;
  /** Connections that are open. While the first ones are being opened, all wait: that takes its time, once. */
  private open = 0;

  constructor(options: pg.PoolConfig) {
    super(options);
    this.on('connect', () => this.noteConnection());
    this.on('remove', () => this.open--);
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
    return this.idleCount === 0 && this.open >= this.options.max;
  }

  private isSwamped(): boolean {
    const { waitingCount } = this;
    if (waitingCount === 0) this.progressAt = performance.now();
    const stallMs = performance.now() - this.progressAt;
    return (
      waitingCount >= MAX_WAITING || waitingCount * this.intervalMs > MAX_WAIT_MS || stallMs > MAX_STALL_MS
    );
  }

  private noteConnection(): void {
    this.open++;
    this.progressAt = performance.now();
  }

  private noteRelease(): void {
    const now = performance.now();
    if (this.waitingCount > 0 && this.open >= this.options.max) {
      this.intervalMs += (now - this.progressAt - this.intervalMs) * WEIGHT;
    }
    this.progressAt = now;
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];
