import type { Statement } from '../../database/session.js';
import type { Transaction } from '../../database/transaction.js';

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

/**
 * Takes messages on Citus. Only one process takes messages at a time, because concurrent updates of the same messages
 * on several shards can cause a deadlock.
 */
export async function takeMessages<Row extends object>(
  transaction: Transaction,
  limit: number,
  leaseMs: number,
): Promise<Row[]> {
  await transaction.query(LOCK_QUEUE, []);
  return transaction.query<Row>(TAKE, [limit, leaseMs]);
}

/** Queues parked messages again on Citus. */
export const RETRY_PARKED: Statement = {
  name: 'message-retry-parked',
  text: `WITH parked AS MATERIALIZED (
           SELECT id FROM message WHERE parked_at IS NOT NULL AND ($1::uuid IS NULL OR id = $1)
           ORDER BY parked_at, id LIMIT $2)
         UPDATE message SET parked_at = NULL, attempts = 0, due_at = now()
         WHERE id IN (SELECT id FROM parked) AND parked_at IS NOT NULL
         RETURNING 1`,
};
