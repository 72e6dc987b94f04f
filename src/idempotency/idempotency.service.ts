import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { parseJson, stringifyJson } from '../domain/json.js';
import { IdempotencyMismatch, RequestStillRunning } from './idempotency.errors.js';
import { type AccountKey, IdempotencyRepository, type StoredOutcome } from './idempotency.repository.js';

/** Removal of what has expired: so many at once and, when those were all, so long until the next. */
const REMOVAL_LIMIT = 500;
const REMOVAL_PAUSE_MS = 60_000;

/** A use of an idempotency key: the operation that it is used for, and the valid body. */
export interface KeyUse extends AccountKey {
  readonly operation: string;
  readonly body: object;
}

/** What came of the first use of a key, as JSON keeps it, and whether this was that first use. */
export interface Outcome<Result> {
  readonly result: Result;
  readonly isReplay: boolean;
}

/** Sees to it that what is asked for by an idempotency key happens once, whatever is asked how often. */
@Injectable()
export class IdempotencyService {
  /** The uses in this process, and what they find stored. */
  private readonly uses = new Map<string, Promise<StoredOutcome | undefined>>();
  private removesNextAt = 0;

  constructor(
    private readonly database: Database,
    private readonly outcomes: IdempotencyRepository,
    private readonly logger: PinoLogger,
  ) {}

  /**
   * Does work, and remembers its outcome in the same transaction; when there is one already, returns
   * that instead. Work that throws has no outcome.
   *
   * @throws RequestStillRunning
   * @throws IdempotencyMismatch when the key was used for something else
   */
  async once<Result>(
    use: KeyUse,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const id = `${use.accountId} ${use.key}`;
    const other = this.uses.get(id);
    // Those who come meanwhile wait for what the first one finds, not for what it does, and take no connection.
    if (other) return replay(use, (await other) ?? stillRunning());

    const { promise: stored, resolve, reject } = Promise.withResolvers<StoredOutcome | undefined>();
    stored.catch(() => undefined);
    this.uses.set(id, stored);
    try {
      return await this.database.transaction(async (transaction) => {
        const found = await this.outcomes.claim(transaction, use);
        resolve(found);
        return found ? replay<Result>(use, found) : await this.first(transaction, use, work);
      });
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      this.uses.delete(id);
      void this.removeExpired();
    }
  }

  private async first<Result>(
    transaction: Transaction,
    use: KeyUse,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const result = await work(transaction);
    const { operation, body } = use;
    const outcome = { operation, fingerprint: fingerprintOf(body), outcome: stringifyJson(result) };
    await this.outcomes.store(transaction, use, outcome);
    return { result, isReplay: false };
  }

  /** Removes some of what has expired, behind the answer. */
  private async removeExpired(): Promise<void> {
    if (performance.now() < this.removesNextAt) return;
    this.removesNextAt = performance.now() + REMOVAL_PAUSE_MS;
    try {
      const removed = await this.outcomes.removeExpired(REMOVAL_LIMIT);
      // There may be more, for the next use of a key to remove.
      if (removed === REMOVAL_LIMIT) this.removesNextAt = 0;
    } catch (error) {
      this.logger.warn({ err: error }, 'idempotency keys that have expired are still there');
    }
  }
}

function stillRunning(): never {
  throw new RequestStillRunning();
}

function replay<Result>({ operation, body }: KeyUse, stored: StoredOutcome): Outcome<Result> {
  if (stored.operation !== operation || !stored.fingerprint.equals(fingerprintOf(body))) {
    throw new IdempotencyMismatch();
  }
  return { result: parseJson(stored.outcome) as Result, isReplay: true };
}

/** The same for bodies that say the same, in whatever order. */
function fingerprintOf(body: object): Buffer {
  const fields = Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(stringifyJson(Object.fromEntries(fields)))
    .digest();
}
