import type { Statement } from '../database/session.js';
import { RETENTION } from './idempotency-key.entity.js';

/**
 * Removes expired outcomes on Citus, which refuses FOR UPDATE across shards. The repeated condition keeps an outcome
 * that another process has stored under the same key.
 */
export const REMOVE_EXPIRED: Statement = {
  name: 'idempotency-remove-expired',
  text: `WITH expired AS MATERIALIZED (
           SELECT account_id, key FROM idempotency_key WHERE created_at <= now() - ${RETENTION}
           ORDER BY created_at LIMIT $1)
         DELETE FROM idempotency_key AS stored USING expired
         WHERE stored.account_id = expired.account_id AND stored.key = expired.key
           AND stored.created_at <= now() - ${RETENTION}
         RETURNING 1`,
};
