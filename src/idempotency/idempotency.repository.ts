import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import type { Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { REMOVE_EXPIRED as CITUS_REMOVE_EXPIRED } from './citus-idempotency.js';
import { RequestInProgress } from './idempotency.errors.js';
import { RETENTION } from './idempotency-key.entity.js';

// The lock ends with the transaction, so that it works behind a pooler in transaction mode.
const CLAIM: Statement = {
  name: 'idempotency-claim',
  text: `SELECT lock.taken, stored.operation, stored.fingerprint, stored.outcome
         FROM (SELECT pg_try_advisory_xact_lock(hashtextextended($2::text, $1::bigint)) AS taken) AS lock
         LEFT JOIN idempotency_key AS stored ON stored.account_id = $1 AND stored.key = $2
           AND stored.created_at > now() - ${RETENTION}`,
};

// CLAIM can miss an outcome that another transaction commits between the read and the lock. Therefore, the insert
// decides which transaction is the first. Citus refuses now() in the condition of ON CONFLICT.
const STORE: Statement = {
  name: 'idempotency-store',
  text: `INSERT INTO idempotency_key AS stored (account_id, key, operation, fingerprint, outcome, created_at)
         VALUES ($1, $2, $3, $4, $5, now())
         ON CONFLICT (account_id, key) DO UPDATE
           SET operation = excluded.operation, fingerprint = excluded.fingerprint,
               outcome = excluded.outcome, created_at = excluded.created_at
           WHERE excluded.created_at - stored.created_at >= ${RETENTION}
         RETURNING 1`,
};

// With ARRAY, the subquery runs only once in every plan. SKIP LOCKED makes replicas select different rows.
const REMOVE_EXPIRED: Statement = {
  name: 'idempotency-remove-expired',
  text: `DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM idempotency_key WHERE created_at <= now() - ${RETENTION}
           ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
};

/** An idempotency key. Each account has its own keys. */
export interface IdempotencyKey {
  readonly accountId: bigint;
  readonly key: string;
}

/** The request for which a key was used, and its result. */
export interface StoredOutcome {
  readonly operation: string;
  /** SHA-256 of the body. */
  readonly fingerprint: Buffer;
  /** The result, in JSON. */
  readonly outcome: string;
}

/** Reads and writes idempotency keys. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks a key until the transaction ends, and returns its stored outcome.
   *
   * @throws RequestInProgress at once when another transaction has locked the key
   */
  async claim(
    transaction: Transaction,
    { accountId, key }: IdempotencyKey,
  ): Promise<StoredOutcome | undefined> {
    const row = await transaction.queryOne<ClaimRow>(CLAIM, [accountId, key]);
    if (row.outcome !== null) return row;
    if (!row.taken) throw new RequestInProgress();
    return undefined;
  }

  /** @throws RequestInProgress when another transaction has stored an outcome */
  async store(
    transaction: Transaction,
    { accountId, key }: IdempotencyKey,
    { operation, fingerprint, outcome }: StoredOutcome,
  ): Promise<void> {
    const stored = await transaction.query(STORE, [accountId, key, operation, fingerprint, outcome]);
    if (stored.length === 0) throw new RequestInProgress();
  }

  /** Removes up to `limit` expired outcomes, and returns how many it removed. */
  async removeExpired(limit: number): Promise<number> {
    const statement = this.database.engine === 'citus' ? CITUS_REMOVE_EXPIRED : REMOVE_EXPIRED;
    return (await this.database.query(statement, [limit])).length;
  }
}

type ClaimRow = { taken: boolean } & (StoredOutcome | Record<keyof StoredOutcome, null>);
