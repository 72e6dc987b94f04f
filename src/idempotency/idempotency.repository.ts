import { Inject, Injectable } from '@nestjs/common';

import { Nodes } from '../database/citus/nodes.js';
import { ExpiredRows } from '../database/expired-rows.js';
import { type Guard, namedStatements, type Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { RequestInProgress } from './idempotency.errors.js';

/** The validity of an outcome, in SQL. Expired outcomes are ignored until they are removed. */
const RETENTION = `interval '24 hours'`;

const SQL = namedStatements({
  // The lock ends with the transaction, so that it works behind a pooler in transaction mode.
  'idempotency-claim': `SELECT lock.taken, stored.operation, stored.fingerprint, stored.outcome
    FROM (SELECT pg_try_advisory_xact_lock(hashtextextended($2::text, $1::bigint)) AS taken) AS lock
    LEFT JOIN idempotency_key AS stored ON stored.account_id = $1 AND stored.key = $2
      AND stored.created_at > now() - ${RETENTION}`,

  // The claim can miss an outcome that another transaction commits between the read and the lock. Therefore, the insert
  // decides which transaction is the first. Citus refuses now() in the condition of ON CONFLICT.
  'idempotency-store': `INSERT INTO idempotency_key AS stored
      (account_id, key, operation, fingerprint, outcome, created_at)
    VALUES ($1, $2, $3, $4, $5, now())
    ON CONFLICT (account_id, key) DO UPDATE
      SET operation = excluded.operation, fingerprint = excluded.fingerprint,
          outcome = excluded.outcome, created_at = excluded.created_at
      WHERE excluded.created_at - stored.created_at >= ${RETENTION}
    RETURNING 1`,

  // The repeated condition keeps an outcome that another process has stored under the same key meanwhile.
  'idempotency-remove-expired': `WITH expired AS MATERIALIZED (
      SELECT account_id, key FROM idempotency_key WHERE created_at <= now() - ${RETENTION}
      ORDER BY created_at LIMIT $1)
    DELETE FROM idempotency_key AS stored USING expired
    WHERE stored.account_id = expired.account_id AND stored.key = expired.key
      AND stored.created_at <= now() - ${RETENTION}
    RETURNING 1`,
});

interface StoredOutcome {
  /** The method, the path and the query of the request. */
  readonly operation: string;
  /** SHA-256 of the body. */
  readonly fingerprint: Buffer;
  /** The result, in JSON. */
  readonly outcome: string;
}

/** Reads and writes idempotency keys. Each account has its own keys. */
@Injectable()
export class IdempotencyRepository {
  protected readonly claimStatement: Statement = SQL['idempotency-claim'];
  /** @internal Returns the guard of statements for the keys of an account. */
  protected readonly guardFor?: (accountId: bigint) => Guard;

  constructor(expiredRows: ExpiredRows) {
    expiredRows.add(SQL['idempotency-remove-expired']);
  }

  /**
   * Locks a key until the transaction ends, and returns its stored outcome.
   *
   * @throws RequestInProgress at once when another transaction has locked the key
   */
  async claim(transaction: Transaction, accountId: bigint, key: string): Promise<StoredOutcome | undefined> {
    const statement = { ...this.claimStatement, guard: this.guardFor?.(accountId) };
    const row = await transaction.queryOne<ClaimRow>(statement, [accountId, key]);
    if (row.outcome !== null) return row;
    if (!row.taken) throw new RequestInProgress();
    return undefined;
  }

  /** @throws RequestInProgress when another transaction has stored an outcome */
  async store(
    transaction: Transaction,
    accountId: bigint,
    key: string,
    { operation, fingerprint, outcome }: StoredOutcome,
  ): Promise<void> {
    const values = [accountId, key, operation, fingerprint, outcome];
    const stored = await transaction.query(SQL['idempotency-store'], values);
    if (stored.length === 0) throw new RequestInProgress();
  }
}

/**
 * Reads and writes idempotency keys on Citus, whose transactions on a worker insert into the old place of a shard that
 * they have read before it moved. A transaction that begins with a write keeps the shard in its place.
 */
@Injectable()
export class CitusIdempotencyRepository extends IdempotencyRepository {
  @Inject(Nodes) private readonly nodes!: Nodes;
  protected override readonly guardFor = (accountId: bigint) =>
    this.nodes.ofRow('idempotency_key', 'account_id', accountId);
  protected override readonly claimStatement = {
    name: 'idempotency-claim',
    text: `WITH expired AS (DELETE FROM idempotency_key
        WHERE account_id = $1 AND key = $2 AND created_at <= now() - ${RETENTION})
      ${SQL['idempotency-claim'].text}`,
  };
}

type ClaimRow = { taken: boolean } & (StoredOutcome | Record<keyof StoredOutcome, null>);
