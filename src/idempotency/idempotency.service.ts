import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { parseJsonWithBigints, stringifyJson } from '../domain/json.js';
import { IdempotencyMismatch } from './idempotency.errors.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import type { IdempotentRequest } from './idempotent.decorator.js';

/** Runs the work of requests with the same Idempotency-Key once. */
@Injectable()
export class IdempotencyService {
  /** @internal */
  constructor(
    private readonly database: Database,
    private readonly outcomes: IdempotencyRepository,
  ) {}

  /** Runs the work of a request like {@link runInTransaction}, but outside of a transaction if the request has no key. */
  async run<Result>(
    request: IdempotentRequest,
    body: object,
    work: (transaction?: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return request.key === undefined ? work() : this.runInTransaction(request, body, work);
  }

  /**
   * Runs the work of a request in a transaction. If the request has an Idempotency-Key, the transaction also stores the
   * result as JSON; a later request with the same key gets the parsed JSON, in which integers are bigints and dates are
   * texts, without running the work. Work that throws leaves no result.
   *
   * @param body the valid body of the request
   * @throws RequestInProgress
   * @throws IdempotencyMismatch when the key was used with another URL or body
   */
  async runInTransaction<Result>(
    request: IdempotentRequest,
    body: object,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const { accountId, key, operation, markReplayed } = request;
    if (key === undefined) return this.database.transaction(work, { account: accountId });
    const text = stringifyJson(sortFields(body));
    const fingerprint = createHash('sha256').update(text).digest();
    const waiting = { account: accountId, characters: text.length };
    return this.database.transaction(async (transaction) => {
      const stored = await this.outcomes.claim(transaction, accountId, key);
      if (!stored) {
        const result = await work(transaction);
        const outcome = stringifyJson(result ?? null);
        await this.outcomes.store(transaction, accountId, key, { operation, fingerprint, outcome });
        return result;
      }
      if (stored.operation !== operation || !stored.fingerprint.equals(fingerprint)) {
        throw new IdempotencyMismatch();
      }
      transaction.onCommit(markReplayed);
      return parseJsonWithBigints(stored.outcome) as Result;
    }, waiting);
  }
}

/** Sorts the fields of a body and of its parts, so that their order does not change the fingerprint. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sortFields(field)]));
}
