import { Injectable } from '@nestjs/common';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { Replicas } from '../database/replicas/replicas.js';
import type { Transaction } from '../database/transaction.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyService } from './idempotency.service.js';

/** Does the work of a handler once, when the request asks for it by an `Idempotency-Key`. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly service: IdempotencyService,
    private readonly replicas: Replicas,
  ) {}

  /**
   * Does the work of a request, in a transaction if it carries a key. If another with the same key was
   * served before, returns its result instead, as JSON keeps it, and says so in the answer.
   *
   * @throws InvalidIdempotencyKey, RequestStillRunning, IdempotencyMismatch
   */
  once<Result>(
    request: AuthenticatedRequest,
    body: object,
    work: (transaction?: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const key = request.headers['idempotency-key'];
    const result = key === undefined ? work() : this.onceByKey(String(key), request, body, work);
    return this.replicas.exist ? this.replicas.write(request.caller.accountId, result) : result;
  }

  private async onceByKey<Result>(
    key: string,
    { caller, method, path, res: response }: AuthenticatedRequest,
    body: object,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const use = {
      accountId: caller.accountId,
      key: parseIdempotencyKey(key),
      operation: `${method} ${path}`,
      body,
    };
    const { result, isReplay } = await this.service.once(use, work);
    if (isReplay) response?.setHeader('Idempotency-Replayed', 'true');
    return result;
  }
}
