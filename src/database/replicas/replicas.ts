import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { Gauge, Registry } from 'prom-client';

import { CONFIG, type Config } from '../../config/config.js';
import { Unavailable } from '../../domain/errors.js';
import { createReplicaPool } from '../connections/create-pool.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { Database } from '../database.js';
import { Replica, type Sample } from './replica.js';
import type { LimitedSession } from '../limited-session.js';
import type { Statement } from '../session.js';

/** The interval at which the positions of the primary and its standbys are read. */
const INTERVAL_MS = 100;

// The insert position, because with synchronous_commit = off a write is acknowledged before its log is written.
const POSITION: Statement = {
  name: 'primary-position',
  text: `SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS position`,
};

/**
 * The standbys of the primary, which serve lists. A read on a standby lags by at most the configured time, and contains
 * the writes of the same account through this process (read-your-writes). If no standby is known to be fresh enough,
 * the primary serves the read.
 */
@Injectable()
export class Replicas implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly replicas: Replica[];
  /** Whether each standby serves lists, as last logged. */
  private readonly inUse = new Map<Replica, boolean>();
  private readonly samples: Sample[] = [];
  /** The time of the last acknowledged write of each account, oldest first. */
  private readonly writtenAt = new Map<bigint, number>();
  private readonly writesInFlight = new Map<bigint, number>();
  private readonly maxLagMs: number;
  private timer: NodeJS.Timeout | undefined;
  private watchingSince = 0;
  private isReadingPosition = false;
  private turn = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    private readonly logger: PinoLogger,
    registry: Registry,
  ) {
    this.maxLagMs = config.databaseReplicaMaxLagMs;
    this.replicas = config.databaseReplicaUrls.map((address) => {
      const pool = createReplicaPool(config, database.engine, address);
      return new Replica(new URL(address).host, pool, config);
    });
    const { replicas } = this;
    new Gauge({
      name: 'petstore_replica_lag_seconds',
      help: 'The time since the last moment whose writes a replica is known to contain. +Inf while it is unavailable.',
      labelNames: ['replica'],
      registers: [registry],
      collect() {
        for (const { name, caughtUpTo } of replicas) {
          this.set({ replica: name }, (performance.now() - caughtUpTo) / 1000);
        }
      },
    });
  }

  /** Reads on a standby that is fresh enough for the account. If there is none, or it fails, reads on the primary. */
  async read<Result>(accountId: bigint, read: (session: LimitedSession) => Promise<Result>): Promise<Result> {
    const replica = this.find(accountId);
    if (!replica) return read(this.database);
    try {
      return await read(replica.session);
    } catch (error) {
      // A queue of this process rejected the read. The standby is available.
      if (error instanceof Unavailable || !isDatabaseUnavailable(error)) throw error;
      replica.markUnavailable();
      return read(this.database);
    }
  }

  /** Records the start of a write. Until its end, the account reads on the primary. */
  beginWrite(accountId: bigint): void {
    this.writesInFlight.set(accountId, (this.writesInFlight.get(accountId) ?? 0) + 1);
  }

  /** Records the end of a write. Later reads of the account contain the write. */
  endWrite(accountId: bigint): void {
    const left = (this.writesInFlight.get(accountId) ?? 1) - 1;
    if (left > 0) this.writesInFlight.set(accountId, left);
    else this.writesInFlight.delete(accountId);
    this.writtenAt.delete(accountId);
    this.writtenAt.set(accountId, performance.now());
  }

  /** Starts to read positions. Until then, the primary serves all reads. */
  onApplicationBootstrap(): void {
    if (this.replicas.length === 0) return;
    this.watchingSince = performance.now();
    this.timer = setInterval(() => void this.refresh(), INTERVAL_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.allSettled(this.replicas.map((replica) => replica.close()));
  }

  private find(accountId: bigint): Replica | undefined {
    if (this.writesInFlight.has(accountId)) return undefined;
    const oldest = performance.now() - this.maxLagMs;
    const since = Math.max(oldest, this.writtenAt.get(accountId) ?? oldest);
    const fresh = this.replicas.filter(({ caughtUpTo }) => caughtUpTo >= since);
    return fresh[this.turn++ % fresh.length];
  }

  private async refresh(): Promise<void> {
    this.forget(performance.now() - this.maxLagMs);
    await this.readPosition();
    await Promise.all(this.replicas.map((replica) => replica.refresh(this.samples)));
    this.logChanges();
  }

  /** Reads the position of the primary, unless the last read is still in progress. */
  private async readPosition(): Promise<void> {
    if (this.isReadingPosition) return;
    this.isReadingPosition = true;
    const at = performance.now();
    try {
      const { position } = await this.database.batchSession.queryOne<{ position: bigint }>(POSITION, []);
      this.samples.push({ at, position });
    } catch {
      // Without new samples, the standbys count as stale and are not used.
    } finally {
      this.isReadingPosition = false;
    }
  }

  /** Removes samples and writes that are no longer needed. */
  private forget(before: number): void {
    while ((this.samples[0]?.at ?? Infinity) < before) this.samples.shift();
    for (const [accountId, at] of this.writtenAt) {
      if (at >= before) break;
      this.writtenAt.delete(accountId);
    }
  }

  private logChanges(): void {
    const oldest = performance.now() - this.maxLagMs;
    for (const replica of this.replicas) {
      const { name, error } = replica;
      const isFresh = replica.caughtUpTo >= oldest;
      const wasFresh = this.inUse.get(replica);
      // A standby may need some time after the start until it is found to be fresh.
      const isStarting = wasFresh === undefined && error === undefined && oldest < this.watchingSince;
      if (isFresh === wasFresh || (isStarting && !isFresh)) continue;
      this.inUse.set(replica, isFresh);
      if (isFresh) this.logger.info({ replica: name }, 'A replica serves lists');
      else
        this.logger.warn(
          { replica: name, err: error },
          'A replica is unavailable or lags too far behind, and is not used',
        );
    }
  }
}
