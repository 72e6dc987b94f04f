import { Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../config/config.js';
import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import { ExpiredRows } from '../database/expired-rows.js';
import { namedStatements, type Session } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { Transaction } from '../database/transaction.js';
import { stringifyJson } from '../domain/json.js';
import type { QueuedMessage } from './delivery/message-delivery.js';
import type { Message } from './message.dto.js';
import { MessageEntity } from './message.entity.js';

const SQL = namedStatements({
  // The lease moves due_at into the future, so that no other process takes the message. SKIP LOCKED skips the messages
  // that another process is taking. With ARRAY, the planner looks the messages up by id, however long the queue is;
  // with a join, it may scan the whole table.
  'message-take': `UPDATE message
    SET attempts = attempts + 1, due_at = now() + $2::int * interval '1 millisecond'
    WHERE id = ANY (ARRAY(
      SELECT id FROM message
      WHERE delivered_at IS NULL AND parked_at IS NULL AND due_at <= now()
      ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING id, account_id AS "accountId", message, created_at AS "createdAt", attempts,
              due_at::text AS lease`,

  // A delivery counts even if another process has the lease by now.
  'message-delivered': `UPDATE message SET delivered_at = now(), parked_at = NULL, last_error = NULL
    WHERE id = $1 AND delivered_at IS NULL`,

  // A failure counts only if the process still has the lease.
  'message-failed': `UPDATE message
    SET last_error = $3, due_at = now() + $4::int * interval '1 millisecond', parked_at = $5
    WHERE id = $1 AND due_at = $2::timestamptz AND delivered_at IS NULL RETURNING 1`,

  // due_at becomes the time of creation, so that the message returns to its place in the queue.
  'message-release': `UPDATE message SET attempts = attempts - 1, due_at = least(created_at, now())
    WHERE id = $1 AND due_at = $2::timestamptz AND delivered_at IS NULL`,

  // Ids are UUIDs of version 7, so later messages have larger ones.
  'message-list-parked': `SELECT id, account_id AS "accountId", attempts,
      last_error AS "lastError", parked_at AS "parkedAt"
    FROM message WHERE parked_at IS NOT NULL AND ($2::uuid IS NULL OR id > $2)
    ORDER BY id LIMIT $1`,

  // A message whose due_at is further away than the end of a lease waits for its back-off. The repeated condition excludes
  // messages that another process has changed.
  'message-retry': `WITH failed AS MATERIALIZED (
      (SELECT id FROM message WHERE parked_at IS NOT NULL AND ($1::uuid IS NULL OR id = $1)
       ORDER BY id LIMIT $2)
      UNION ALL
      (SELECT id FROM message
       WHERE delivered_at IS NULL AND parked_at IS NULL AND due_at > now() + $3::int * interval '1 millisecond'
         AND ($1::uuid IS NULL OR id = $1)
       ORDER BY due_at LIMIT $2))
    UPDATE message SET parked_at = NULL, attempts = 0, due_at = now()
    WHERE id = ANY (ARRAY(SELECT id FROM failed)) AND delivered_at IS NULL
      AND (parked_at IS NOT NULL OR due_at > now() + $3::int * interval '1 millisecond')
    RETURNING 1`,

  'message-discard-parked': `WITH parked AS MATERIALIZED (
      SELECT id FROM message WHERE parked_at IS NOT NULL AND ($1::uuid IS NULL OR id = $1)
      ORDER BY id LIMIT $2)
    DELETE FROM message WHERE id = ANY (ARRAY(SELECT id FROM parked)) AND parked_at IS NOT NULL
    RETURNING 1`,

  'message-count': `SELECT 'waiting' AS state, count(*)::int AS count, min(created_at) AS oldest
    FROM (SELECT created_at FROM message WHERE delivered_at IS NULL AND parked_at IS NULL LIMIT $1) AS waiting
    UNION ALL
    SELECT 'parked', count(*)::int, min(created_at)
    FROM (SELECT created_at FROM message WHERE parked_at IS NOT NULL LIMIT $1) AS parked`,

  'message-remove-delivered': `WITH delivered AS MATERIALIZED (
      SELECT id FROM message WHERE delivered_at < now() - $2::int * interval '1 day'
      ORDER BY delivered_at LIMIT $1)
    DELETE FROM message WHERE id = ANY (ARRAY(SELECT id FROM delivered))
    RETURNING 1`,
});

const COUNT_LIMIT = 100_000;

export type MessageOfAccount = Message & { readonly accountId: bigint };

/** A message that only this process may deliver, until the lease expires. */
export interface LeasedMessage extends QueuedMessage {
  /** The number of attempts, including the one that begins. */
  readonly attempts: number;
  /** `due_at` as text, because a Date would lose the microseconds. */
  readonly lease: string;
}

/** A message whose last attempt failed (a dead letter). An operator can queue it again. */
export interface ParkedMessage extends Readonly<Pick<MessageEntity, 'id' | 'accountId' | 'attempts'>> {
  readonly lastError: string;
  readonly parkedAt: Date;
}

export interface MessageCount {
  readonly state: 'waiting' | 'parked';
  /** At most 100,000. */
  readonly count: number;
  /** When the oldest of them was queued. Null if there are none. */
  readonly oldest: Date | null;
}

/**
 * Reads and writes messages. Concurrent inserts are batched into one statement. The table is also the queue of messages to
 * deliver, the oldest first.
 */
@Injectable()
export class MessagesRepository {
  protected readonly table: Table;
  private readonly inserts: Batch<string, unknown>;

  constructor(
    protected readonly database: Database,
    expiredRows: ExpiredRows,
    @Inject(CONFIG) { messageRetentionDays }: Config,
  ) {
    expiredRows.add(SQL['message-remove-delivered'], [messageRetentionDays]);
    this.table = database.table(MessageEntity);
    this.inserts = new Batch('message-insert', (texts) => this.insertAll(database.withoutLimit, texts));
  }

  async insert(message: MessageOfAccount, transaction?: Transaction): Promise<void> {
    const text = stringifyJson(message);
    await (transaction ? this.insertAll(transaction, [text]) : this.inserts.add(text, message.accountId));
  }

  private async insertAll(session: Session, texts: readonly string[]): Promise<unknown[]> {
    const statement = { name: 'message-insert', text: this.table.insertFromJson() };
    return await session.query(statement, [`[${texts.join()}]`]);
  }

  /** Takes a lease on up to `limit` messages that are due, the oldest first. */
  async take(limit: number, leaseMs: number): Promise<LeasedMessage[]> {
    const messages = await this.takeRows(limit, leaseMs);
    return messages.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async markDelivered({ id }: LeasedMessage): Promise<void> {
    await this.database.query(SQL['message-delivered'], [id]);
  }

  /**
   * Stores a failed attempt. Another one follows after `retryAfterMs`, or the message is parked. Returns whether the
   * process still had the lease.
   */
  async markFailed(
    { id, lease }: LeasedMessage,
    error: string,
    retryAfterMs: number | 'park',
  ): Promise<boolean> {
    const [waitMs, parkedAt] = retryAfterMs === 'park' ? [0, new Date()] : [retryAfterMs, null];
    const values = [id, lease, error, waitMs, parkedAt];
    return (await this.database.query(SQL['message-failed'], values)).length > 0;
  }

  /** Returns a message to the queue. The attempt does not count. */
  async release({ id, lease }: LeasedMessage): Promise<void> {
    await this.database.withoutLimit.query(SQL['message-release'], [id, lease]);
  }

  count(): Promise<MessageCount[]> {
    return this.database.query<MessageCount>(SQL['message-count'], [COUNT_LIMIT]);
  }

  listParked(limit: number, after?: string): Promise<ParkedMessage[]> {
    return this.database.query<ParkedMessage>(SQL['message-list-parked'], [limit, after]);
  }

  /**
   * Makes the message with the id due, or up to `limit` parked messages and as many that wait for another attempt. A
   * message that is due within `leaseMs` may be in delivery, and stays as it is. Returns how many there were.
   */
  async retry(limit: number, leaseMs: number, id?: string): Promise<number> {
    return (await this.database.query(SQL['message-retry'], [id, limit, leaseMs])).length;
  }

  async discardParked(limit: number, id?: string): Promise<number> {
    return (await this.database.query(SQL['message-discard-parked'], [id, limit])).length;
  }

  protected takeRows(limit: number, leaseMs: number): Promise<LeasedMessage[]> {
    return this.database.withoutLimit.query<LeasedMessage>(SQL['message-take'], [limit, leaseMs]);
  }
}
