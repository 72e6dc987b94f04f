import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { consumeQuota } from './quota.js';

/**
 * Limits the requests per minute of a key, across all operations without `@Throttle()`. Public operations are limited
 * per address. Runs after the guard that identifies the key.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** @throws RateLimited */
  protected override async handleRequest({
    context,
    limit,
    ttl: windowMs,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Partial<AuthenticatedRequest>>();
    const { caller } = request;
    const policy = caller ? 'key' : 'address';
    const client = caller ? `${caller.account.id} ${caller.keyId}` : await this.getTracker(request);
    // An operation with @Throttle() has a separate quota.
    const isSeparate = limit !== throttler.limit || windowMs !== throttler.ttl;
    const counter = isSeparate ? this.generateKey(context, client, policy) : client;
    const headers = await consumeQuota(this.storageService, { policy, limit, windowMs }, counter);
    http.getResponse<Response>().set(headers);
    return true;
  }
}
