import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { CONFIG, type Config } from '../config/config.js';
import { spend } from './quota.js';

/**
 * Limits the requests of a key per minute, over all operations; for public operations, those of an address. It runs
 * behind the guard that identifies the key.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(CONFIG) private readonly config!: Config;

  /** @throws RateLimited */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return this.config.rateLimitPerMinute === undefined ? Promise.resolve(true) : super.canActivate(context);
  }

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
