import type { Statement } from '../database/session.js';

/** Stores an outcome on Citus, which refuses now() in the condition of ON CONFLICT. */
export const STORE: Statement = {
  name: 'idempotency-store',
  text: `INSERT INTO idempotency_key AS stored (account_id, key, operation, fingerprint, outcome, created_at)
         VALUES ($1, $2, $3, $4, $5, now())
         ON CONFLICT (account_id, key) DO UPDATE
           SET operation = excluded.operation, fingerprint = excluded.fingerprint,
               outcome = excluded.outcome, created_at = excluded.created_at
           WHERE excluded.created_at - stored.created_at >= interval '24 hours'
         RETURNING 1`,
};

/**
 * Removes expired outcomes on Citus, which refuses FOR UPDATE across shards. The repeated condition keeps an outcome
 * that another process has stored under the same key.
 */
export const REMOVE_EXPIRED: Statement = {
  name: 'idempotency-remove-expired',
  text: `WITH expired AS MATERIALIZED (
           SELECT account_id, key FROM idempotency_key WHERE created_at <= now() - interval '24 hours'
           ORDER BY created_at LIMIT $1)
         DELETE FROM idempotency_key AS stored USING expired
         WHERE stored.account_id = expired.account_id AND stored.key = expired.key
           AND stored.created_at <= now() - interval '24 hours'
         RETURNING 1`,
};
