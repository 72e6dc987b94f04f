import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';

import { parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyKeyNotSupported } from './idempotency.errors.js';
import { IDEMPOTENT } from './idempotent.decorator.js';

/** Checks the `Idempotency-Key` of a request. Operations without `@Idempotent()` refuse it, except to read. */
@Injectable()
export class IdempotencyKeyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws InvalidIdempotencyKey, IdempotencyKeyNotSupported */
  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = context.switchToHttp().getRequest<Request>();
    const key = headers['idempotency-key'];
    if (key === undefined || method === 'GET' || method === 'HEAD') return true;
    if (!this.reflector.get(IDEMPOTENT, context.getHandler())) throw new IdempotencyKeyNotSupported();
    parseIdempotencyKey(String(key));
    return true;
  }
}
