import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import type { Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { REMOVE_EXPIRED as CITUS_REMOVE_EXPIRED, STORE as CITUS_STORE } from './citus-idempotency.js';
import { RequestInProgress } from './idempotency.errors.js';

/** How long an outcome is remembered. Until it is removed it stays in the table, and counts for nothing. */
const RETENTION = `interval '24 hours'`;

// The lock ends with the transaction, however that ends, so that a pooler between may lend the connection on.
const CLAIM: Statement = {
  name: 'idempotency-claim',
  text: `SELECT lock.taken, stored.operation, stored.fingerprint, stored.outcome
         FROM (SELECT pg_try_advisory_xact_lock(hashtextextended($2::text, $1::bigint)) AS taken) AS lock
         LEFT JOIN idempotency_key AS stored ON stored.account_id = $1 AND stored.key = $2
           AND stored.created_at > now() - ${RETENTION}`,
};

// The claim looks for the outcome of another before it takes the lock of that other, and can miss it in
// between. So it is here that the first one wins.
const STORE: Statement = {
  name: 'idempotency-store',
  text: `INSERT INTO idempotency_key AS stored (account_id, key, operation, fingerprint, outcome, created_at)
         VALUES ($1, $2, $3, $4, $5, now())
         ON CONFLICT (account_id, key) DO UPDATE
           SET operation = excluded.operation, fingerprint = excluded.fingerprint,
               outcome = excluded.outcome, created_at = excluded.created_at
           WHERE stored.created_at <= now() - ${RETENTION}
         RETURNING 1`,
};

// As an array, so that the rows are chosen once, whatever the plan; replicas choose different ones.
const REMOVE_EXPIRED: Statement = {
  name: 'idempotency-remove-expired',
  text: `DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM idempotency_key WHERE created_at <= now() - ${RETENTION}
           ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
};

/** An idempotency key, which each account has its own of. */
export interface AccountKey {
  readonly accountId: bigint;
  readonly key: string;
}

/** What a key was used for, and what came of it. */
export interface StoredOutcome {
  readonly operation: string;
  /** SHA-256 of the body. */
  readonly fingerprint: Buffer;
  /** The result, in JSON. */
  readonly outcome: string;
}

/** The idempotency keys in the database. */
@Injectable()
export class IdempotencyRepository {
  private readonly isOnCitus: boolean;

  constructor(private readonly database: Database) {
    this.isOnCitus = database.engine === 'citus';
  }

  /**
   * Keeps a key to a transaction, and tells what it was used for before.
   *
   * @throws RequestInProgress at once when another transaction has it
   */
  async claim(transaction: Transaction, { accountId, key }: AccountKey): Promise<StoredOutcome | undefined> {
    const row = await transaction.queryOne<ClaimRow>(CLAIM, [accountId, key]);
    if (row.outcome !== null) return row;
    if (!row.taken) throw new RequestInProgress();
    return undefined;
  }

  /** @throws RequestInProgress when another one was first after all */
  async store(
    transaction: Transaction,
    { accountId, key }: AccountKey,
    { operation, fingerprint, outcome }: StoredOutcome,
  ): Promise<void> {
    const statement = this.isOnCitus ? CITUS_STORE : STORE;
    const stored = await transaction.query(statement, [accountId, key, operation, fingerprint, outcome]);
    if (stored.length === 0) throw new RequestInProgress();
  }

  /** Removes outcomes that are no longer remembered, up to a limit; tells how many. */
  async removeExpired(limit: number): Promise<number> {
    const statement = this.isOnCitus ? CITUS_REMOVE_EXPIRED : REMOVE_EXPIRED;
    return (await this.database.query(statement, [limit])).length;
  }
}

type ClaimRow = { taken: boolean } & (StoredOutcome | Record<keyof StoredOutcome, null>);
