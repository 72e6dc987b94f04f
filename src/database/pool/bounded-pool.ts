import pg from 'pg';

import { Unavailable } from '../../domain/domain-error.js';
import { noteRefusal } from '../database.diagnostics.js';
import { WatchedClient } from '../watched-client.js';

/** How long no connection may come free. What is merely slow, as the first statements are, is waited for. */
const MAX_STALL_MS = 2000;

/**
 * pg's pool, in which what comes waits for a connection until its timeout, also behind others that wait in vain.
 * This one refuses it at once when no connection comes free any more, and costs nothing while one is free.
 */
export class BoundedPool extends pg.Pool {
  /** When the last one came free or was made, or the first began to wait. */
  private progressAt = 0;
  /** Connections that are open. While the first ones are being opened, all wait: that takes its time, once. */
  private open = 0;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: WatchedClient });
    this.on('connect', () => this.noteConnection());
    this.on('remove', () => this.open--);
    this.on('release', () => this.noteProgress());
  }

  /** @throws Unavailable */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (this.isStuck()) {
      noteRefusal('pool');
      const error = new Unavailable(new Error('no connection to the database comes free'));
      return callback ? callback(error, undefined, () => undefined) : Promise.reject(error);
    }
    return callback ? super.connect(callback) : super.connect();
  }

  private isStuck(): boolean {
    if (this.idleCount > 0 || this.open < this.options.max) return false;
    if (this.waitingCount === 0) this.noteProgress();
    return performance.now() - this.progressAt > MAX_STALL_MS;
  }

  private noteConnection(): void {
    this.open++;
    this.noteProgress();
  }

  private noteProgress(): void {
    this.progressAt = performance.now();
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];
