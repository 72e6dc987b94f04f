import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { CONFIG, type Config } from '../config/config.js';
import { spend } from './quota.js';

/**
 * Limits the requests per minute of a key, across all operations. Public operations are limited per address. Runs after
 * the guard that identifies the key.
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
