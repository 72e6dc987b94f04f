import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';

import { clientAddressOf } from '../http/client-address.js';
import { findRequest } from '../http/find-request.js';
import { RateLimiter } from './rate-limiter.js';

/**
 * Limits the requests per minute of an account, with all its keys, across all operations without `@Throttle()`. Public
 * operations are limited per address. Runs after the guard that finds the caller. Each field of a query of GraphQL that
 * has a resolver of its own counts.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(RateLimiter)
  private readonly limiter!: RateLimiter;

  /** @throws RateLimited */
  protected override handleRequest({
    context,
    limit,
    ttl: windowMs,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const request = findRequest(context);
    if (!request) return Promise.resolve(true);
    const { caller } = request;
    const policy = caller ? 'account' : 'address';
    const client = caller ? caller.account.id.toString() : clientAddressOf(request);
    // An operation with @Throttle() has a separate quota.
    const isSeparate = limit !== throttler.limit || windowMs !== throttler.ttl;
    const counter = isSeparate ? this.generateKey(context, client, policy) : client;
    const headers = this.limiter.consume({ policy, limit, windowMs }, counter);
    request.res?.set(headers);
    return Promise.resolve(true);
  }
}
