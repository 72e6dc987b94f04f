import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type pg from 'pg';
import { Gauge, Registry } from 'prom-client';

import { CONFIG, type Config } from '../config/config.js';
import { Unavailable } from '../domain/errors.js';
import { ConnectionLimit } from './connection-limit.js';
import { createReplicaPool } from './create-pool.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Database } from './database.js';
import { namedStatements, Session } from './session.js';

const INTERVAL_MS = 100;

interface Position {
  readonly position: bigint;
}

const SQL = namedStatements({
  // The insert position, because with synchronous_commit = off a write is acknowledged before its log is written.
  'primary-position': `SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS position`,

  // Returns no row if the server is not a standby, or receives nothing from the primary.
  'replica-position': `SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS position
    WHERE pg_is_in_recovery() AND EXISTS (SELECT FROM pg_stat_wal_receiver)`,
});

/** A standby, in comparison with the primary. */
interface Replica {
  /** The host and port, or the directory of the Unix socket. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly session: Session;
  /**
   * A position of the primary that the standby is not known to contain yet, with its time by `performance.now()`. It
   * contains all writes that were acknowledged before that time.
   */
  sample: (Position & { readonly at: number }) | undefined;
  /** The standby contains all writes that were acknowledged before this time. */
  caughtUpTo: number;
}

/**
 * The standbys of the primary, which serve lists. A read on a standby lags by at most the configured time, and contains
 * the writes of the same account through this process (read-your-writes). If no standby is known to be fresh enough,
 * the primary serves the read.
 */
@Injectable()
export class Replicas implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly replicas: readonly Replica[];
  /** The time of the last acknowledged write of each account, oldest first. */
  private readonly writtenAt = new Map<bigint, number>();
  private readonly writesInFlight = new Map<bigint, number>();
  private readonly maxLagMs: number;
  private isStopped = false;
  private turn = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    private readonly logger: PinoLogger,
    registry: Registry,
  ) {
    this.maxLagMs = config.databaseReplicaMaxLagMs;
    this.replicas = config.databaseReplicaUrls.map((address): Replica => {
      const pool = createReplicaPool(config, database.engine, address);
      const session = new Session(pool, config, new ConnectionLimit(pool));
      // The address of a Unix socket has no host.
      const { host = '' } = URL.parse(address) ?? {};
      const name = host === '' ? String(pool.options.host) : host;
      return { name, pool, session, sample: undefined, caughtUpTo: -Infinity };
    });
    const lag = new Gauge({
      name: 'petstore_replica_lag_seconds',
      help: 'The time since the last moment whose writes a replica is known to contain, at most since the start. +Inf while it is unavailable.',
      labelNames: ['replica'],
      registers: [registry],
      collect: () => {
        for (const { name, caughtUpTo } of this.replicas) {
          lag.set({ replica: name }, (performance.now() - caughtUpTo) / 1000);
        }
      },
    });
  }

  /** Reads on a standby that is fresh enough for the account. If there is none, or it fails, reads on the primary. */
  async read<Result>(accountId: bigint, read: (session: Session) => Promise<Result>): Promise<Result> {
    const replica = this.find(accountId);
    if (!replica) return read(this.database);
    try {
      return await read(replica.session);
    } catch (error) {
      // A queue of this process rejected the read. The standby is available.
      if (error instanceof Unavailable || !isDatabaseUnavailable(error)) throw error;
      replica.caughtUpTo = -Infinity;
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
    const now = performance.now();
    this.writtenAt.delete(accountId);
    this.writtenAt.set(accountId, now);
    // Every standby in use contains the writes before the maximum lag.
    for (const [id, at] of this.writtenAt) {
      if (at >= now - this.maxLagMs) break;
      this.writtenAt.delete(id);
    }
  }

  /** Starts to read positions. Until then, the primary serves all reads. */
  onApplicationBootstrap(): void {
    for (const replica of this.replicas) void this.follow(replica);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.allSettled(this.replicas.map(({ pool }) => pool.end()));
  }

  private find(accountId: bigint): Replica | undefined {
    if (this.writesInFlight.has(accountId)) return undefined;
    const oldest = performance.now() - this.maxLagMs;
    const since = Math.max(oldest, this.writtenAt.get(accountId) ?? oldest);
    const fresh = this.replicas.filter(({ caughtUpTo }) => caughtUpTo >= since);
    return fresh[this.turn++ % fresh.length];
  }

  /**
   * Compares a standby with the primary until the stop. Logs when it comes into use, and when it is no longer used. One that
   * has just started, or is fresh at times only, is no change.
   */
  private async follow(replica: Replica): Promise<void> {
    const startedAt = performance.now();
    let isUsed: boolean | undefined;
    for (;;) {
      const error = await this.compare(replica).catch((thrown: unknown) => {
        Object.assign(replica, { caughtUpTo: -Infinity, sample: undefined });
        return thrown;
      });
      if (this.isStopped) return;
      const now = performance.now();
      const isFresh = replica.caughtUpTo >= now - this.maxLagMs;
      const isLost = error !== undefined || Math.max(replica.caughtUpTo, startedAt) < now - 2 * this.maxLagMs;
      if (isFresh && isUsed !== true) {
        isUsed = true;
        this.logger.info({ replica: replica.name }, 'A replica serves lists');
      } else if (!isFresh && isLost && isUsed !== false) {
        isUsed = false;
        this.logger.warn(
          { replica: replica.name, err: error },
          'A replica is unavailable or lags too far behind, and is not used',
        );
      }
      await sleep(INTERVAL_MS, undefined, { ref: false });
    }
  }

  private async compare(replica: Replica): Promise<void> {
    // While the primary does not answer, the standby is used until it may lag too far behind.
    const sample = await this.samplePrimary().catch(() => undefined);
    // After a failover that lost the end of the log, the standby may never reach the old position.
    if (sample && !(replica.sample && replica.sample.position <= sample.position)) replica.sample = sample;
    const [standby] = await replica.session.withoutLimit.query<Position>(SQL['replica-position'], []);
    if (!standby) throw new Error('the server is not a standby that receives data from a primary');
    if (!replica.sample || replica.sample.position > standby.position) return;
    replica.caughtUpTo = replica.sample.at;
    replica.sample = undefined;
  }

  private async samplePrimary() {
    const at = performance.now();
    const { position } = await this.database.withoutLimit.queryOne<Position>(SQL['primary-position'], []);
    return { at, position };
  }
}
