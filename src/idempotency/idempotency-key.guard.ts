import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';

import { parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyKeyNotSupported } from './idempotency.errors.js';
import { IDEMPOTENT } from './idempotent.decorator.js';

/** Checks the `Idempotency-Key` of a request. Operations without `@Idempotent()` reject it. */
@Injectable()
export class IdempotencyKeyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws InvalidIdempotencyKey, IdempotencyKeyNotSupported */
  canActivate(context: ExecutionContext): boolean {
    const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
    if (key === undefined) return true;
    if (!this.reflector.get(IDEMPOTENT, context.getHandler())) throw new IdempotencyKeyNotSupported();
    parseIdempotencyKey(String(key));
    return true;
  }
}
