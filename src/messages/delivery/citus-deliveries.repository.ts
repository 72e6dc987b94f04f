import { Injectable } from '@nestjs/common';

import type { Statement } from '../../database/session.js';
import { DeliveriesRepository, type LeasedMessage } from './deliveries.repository.js';

// Citus refuses FOR UPDATE across shards. The repeated condition excludes messages that another process has changed.
const TAKE: Statement = {
  name: 'message-take',
  text: `WITH due AS MATERIALIZED (
           SELECT id FROM message
           WHERE delivered_at IS NULL AND parked_at IS NULL AND due_at <= now()
           ORDER BY due_at, id LIMIT $1),
         taken AS (
           UPDATE message SET attempts = attempts + 1, due_at = now() + $2::int * interval '1 millisecond'
           WHERE id IN (SELECT id FROM due) AND delivered_at IS NULL AND parked_at IS NULL AND due_at <= now()
           RETURNING id, account_id, message, created_at, attempts, due_at)
         SELECT id, account_id AS "accountId", message, created_at AS "createdAt", attempts, due_at::text AS lease
         FROM taken`,
};

const LOCK_QUEUE: Statement = {
  name: 'message-lock-queue',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('message-take', 0))`,
};

/** The queue of messages on Citus. */
@Injectable()
export class CitusDeliveriesRepository extends DeliveriesRepository {
  /**
   * Only one process takes messages at a time, because concurrent updates of the same messages on several shards can
   * cause a deadlock.
   */
  protected override takeRows(limit: number, leaseMs: number): Promise<LeasedMessage[]> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(LOCK_QUEUE, []);
      return transaction.query<LeasedMessage>(TAKE, [limit, leaseMs]);
    });
  }
}
