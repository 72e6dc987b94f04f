import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { spend } from './quota.js';

/**
 * Limits how much a key may ask in a minute, over all operations; where an operation is public, how
 * much an address may. It runs after the guard that knows the key.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** @throws RateLimited */
  protected override async handleRequest({
    context,
    limit,
    ttl: windowMs,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Partial<AuthenticatedRequest>>();
    const policy = request.caller ? 'key' : 'address';
    const client = request.caller?.keyId.toString() ?? (await this.getTracker(request));
    const headers = await spend(this.storageService, { policy, limit, windowMs }, client);
    http.getResponse<Response>().set(headers);
    return true;
  }
}
