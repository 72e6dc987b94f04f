import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';

import { clientAddressOf } from '../http/addresses.js';
import { RateLimiter } from './rate-limiter.js';

/** A request, after the guard that found its caller. Public operations have none. */
type LimitedRequest = Request & {
  readonly caller?: { readonly account: { readonly id: bigint }; readonly keyId: bigint | string };
};

/**
 * Limits the requests per minute of a key, across all operations without `@Throttle()`. Public operations are limited
 * per address. Runs after the guard that identifies the key.
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
    const http = context.switchToHttp();
    const request = http.getRequest<LimitedRequest>();
    const { caller } = request;
    const policy = caller ? 'key' : 'address';
    const client = caller ? `${caller.account.id} ${caller.keyId}` : clientAddressOf(request);
    // An operation with @Throttle() has a separate quota.
    const isSeparate = limit !== throttler.limit || windowMs !== throttler.ttl;
    const counter = isSeparate ? this.generateKey(context, client, policy) : client;
    const headers = this.limiter.consume({ policy, limit, windowMs }, counter);
    http.getResponse<Response>().set(headers);
    return Promise.resolve(true);
  }
}
