import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { parseJsonWithBigints, stringifyJson } from '../domain/json.js';
import { IdempotencyMismatch, RequestInProgress } from './idempotency.errors.js';
import { type IdempotencyKey, IdempotencyRepository, type StoredOutcome } from './idempotency.repository.js';
import type { IdempotentRequest } from './idempotent.decorator.js';

/** A use of an idempotency key: the operation and its valid body. */
interface IdempotencyKeyUse extends IdempotencyKey {
  readonly operation: string;
  readonly body: object;
}

/** The result of the first use of a key, and whether this use repeats it. */
interface Outcome<Result> {
  readonly result: Result;
  readonly isReplay: boolean;
}

/** Runs the work of requests with the same Idempotency-Key once. */
@Injectable()
export class IdempotencyService {
  /** The requests in progress in this process, by key, with the outcome that each found in the database. */
  private readonly uses = new Map<string, Promise<StoredOutcome | undefined>>();

  /** @internal */
  constructor(
    private readonly database: Database,
    private readonly outcomes: IdempotencyRepository,
  ) {}

  /**
   * Runs the work of a request. If the request has an Idempotency-Key, the work runs in a transaction that also stores
   * its result as JSON; a later request with the same key gets the parsed JSON, in which integers are bigints and dates
   * are texts, without running the work. Work that throws leaves no result.
   *
   * @param body the valid body of the request
   * @param options `transaction: true` runs the work in a transaction also if the request has no key
   * @throws RequestInProgress
   * @throws IdempotencyMismatch when the key was used with another URL or body
   */
  run<Result>(
    request: IdempotentRequest,
    body: object,
    work: (transaction: Transaction) => Promise<Result>,
    options: { transaction: true },
  ): Promise<Result>;
  run<Result>(
    request: IdempotentRequest,
    body: object,
    work: (transaction?: Transaction) => Promise<Result>,
  ): Promise<Result>;
  async run<Result>(
    { accountId, key, operation, markReplayed }: IdempotentRequest,
    body: object,
    work: (transaction: Transaction) => Promise<Result>,
    options?: { transaction: true },
  ): Promise<Result> {
    if (key === undefined) {
      return options ? this.database.transaction(work) : (work as () => Promise<Result>)();
    }
    const { result, isReplay } = await this.findOrRun({ accountId, key, operation, body }, work);
    if (isReplay) markReplayed();
    return result;
  }

  private async findOrRun<Result>(
    use: IdempotencyKeyUse,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const id = `${use.accountId} ${use.key}`;
    const other = this.uses.get(id);
    // A concurrent use takes no connection. It waits for the look-up of the first use, not for its work.
    if (other) {
      const found = await other;
      if (!found) throw new RequestInProgress();
      return replay(use, found);
    }

    const { promise: stored, resolve, reject } = Promise.withResolvers<StoredOutcome | undefined>();
    stored.catch(() => undefined);
    this.uses.set(id, stored);
    try {
      return await this.database.transaction(async (transaction) => {
        const found = await this.outcomes.claim(transaction, use);
        resolve(found);
        return found ? replay<Result>(use, found) : await this.runFirst(transaction, use, work);
      });
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      this.uses.delete(id);
    }
  }

  private async runFirst<Result>(
    transaction: Transaction,
    use: IdempotencyKeyUse,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const result = await work(transaction);
    const { operation, body } = use;
    const outcome = { operation, fingerprint: fingerprintOf(body), outcome: stringifyJson(result ?? null) };
    await this.outcomes.store(transaction, use, outcome);
    return { result, isReplay: false };
  }
}

function replay<Result>({ operation, body }: IdempotencyKeyUse, stored: StoredOutcome): Outcome<Result> {
  if (stored.operation !== operation || !stored.fingerprint.equals(fingerprintOf(body))) {
    throw new IdempotencyMismatch();
  }
  return { result: parseJsonWithBigints(stored.outcome) as Result, isReplay: true };
}

/** Hashes a body, independently of the order of its fields. */
function fingerprintOf(body: object): Buffer {
  return createHash('sha256')
    .update(stringifyJson(sortFields(body)))
    .digest();
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sortFields(field)]));
}
