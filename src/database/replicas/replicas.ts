import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { poolOptions } from '../data-source.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { Database } from '../database.js';
import { Replica, type Sample } from './replica.js';
import { sendingOf } from '../sending.js';
import type { Session, Statement } from '../session.js';

/** How often the primary and its standbys are asked how far they have come. */
const INTERVAL_MS = 100;

const POSITION: Statement = {
  name: 'primary-position',
  text: `SELECT (pg_current_wal_lsn() - '0/0')::bigint AS position`,
};

/**
 * The standbys of the primary, where lists may be read. What is read there is no older than the limit,
 * and holds what the same account has written through this process. A standby of which that is not
 * known is left out until it is, and where there is none left, the primary is read.
 */
@Injectable()
export class Replicas implements OnApplicationShutdown {
  private readonly replicas: Replica[];
  private readonly inUse = new Set<Replica>();
  private readonly samples: Sample[] = [];
  /** When an account was told of its last write, the longest ago first. */
  private readonly writtenAt = new Map<bigint, number>();
  private readonly maxLagMs: number;
  private timer: NodeJS.Timeout | undefined;
  private turn = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    private readonly logger: PinoLogger,
  ) {
    this.maxLagMs = config.replicaMaxLagMs;
    const options = poolOptions(config);
    const timeoutMs = Math.min(config.connectTimeoutMs, this.maxLagMs);
    const sending = sendingOf(config, this.maxLagMs);
    this.replicas = config.replicaUrls.map((connectionString) => {
      const replica = { ...options, connectionString, connectionTimeoutMillis: timeoutMs };
      return new Replica(new URL(connectionString).host, replica, sending);
    });
  }

  /** Whether there are any; without, everything is read on the primary. */
  get exist(): boolean {
    return this.replicas.length > 0;
  }

  /** Reads on a standby that is fit for the account, and on the primary when there is none, or it fails. */
  async read<Result>(
    accountId: bigint,
    primary: Session,
    read: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const replica = this.find(accountId);
    if (!replica) return read(primary);
    try {
      return await read(replica.session);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      replica.leaveOut();
      return read(primary);
    }
  }

  /** Waits for a write of an account. What the account reads from then on holds it. */
  async write<Result>(accountId: bigint, write: Promise<Result>): Promise<Result> {
    try {
      return await write;
    } finally {
      this.writtenAt.delete(accountId);
      this.writtenAt.set(accountId, performance.now());
    }
  }

  /** Begins to ask how far they have come. Before, nothing is read on them. */
  watch(): void {
    if (this.exist) this.timer = setInterval(() => void this.refresh(), INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const replica of this.replicas) void replica.close();
  }

  private find(accountId: bigint): Replica | undefined {
    const oldest = performance.now() - this.maxLagMs;
    const since = Math.max(oldest, this.writtenAt.get(accountId) ?? oldest);
    const fit = this.replicas.filter(({ freshUntil }) => freshUntil >= since);
    return fit[this.turn++ % fit.length];
  }

  private async refresh(): Promise<void> {
    const at = performance.now();
    this.forget(at - this.maxLagMs);
    try {
      const { position } = await this.database.joint.queryOne<{ position: bigint }>(POSITION, []);
      this.samples.push({ at, position });
    } catch {
      // Without the primary's word the standbys age until they are left out.
    }
    await Promise.all(this.replicas.map((replica) => replica.refresh(this.samples)));
    this.logChanges();
  }

  /** Lets go of what is too old to matter. */
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
      const isFit = replica.freshUntil >= oldest;
      if (isFit === this.inUse.has(replica)) continue;
      if (isFit) this.inUse.add(replica);
      else this.inUse.delete(replica);
      const { name } = replica;
      if (isFit) this.logger.info({ replica: name }, 'Lists are read on a replica');
      else this.logger.warn({ replica: name }, 'A replica is away or too far behind, and left out');
    }
  }
}
