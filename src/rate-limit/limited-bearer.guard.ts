import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';

import { Unauthorized } from '../auth/auth.errors.js';
import { BearerGuard } from '../auth/bearer.guard.js';
import { CONFIG, type Config } from '../config/config.js';
import { consumeQuota, WINDOW_MS } from './quota.js';

/**
 * Checks the key of a request with the {@link BearerGuard}. Answers a wrong or missing key with 429 instead of 401 when
 * the address has sent too many of them. Valid keys from the same address are still accepted.
 */
@Injectable()
export class LimitedBearerGuard implements CanActivate {
  private readonly limit: number | undefined;

  constructor(
    private readonly bearer: BearerGuard,
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
    @Inject(CONFIG) { rateLimitPerMinute }: Config,
  ) {
    this.limit = rateLimitPerMinute;
  }

  /** @throws Unauthorized, RateLimited */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    try {
      return await this.bearer.canActivate(context);
    } catch (error) {
      if (error instanceof Unauthorized) await this.count(context);
      throw error;
    }
  }

  /** @throws RateLimited */
  private async count(context: ExecutionContext): Promise<void> {
    if (this.limit === undefined) return;
    const { ip = '' } = context.switchToHttp().getRequest<Request>();
    const quota = { policy: 'refused-keys', limit: this.limit, windowMs: WINDOW_MS } as const;
    await consumeQuota(this.storage, quota, normalizeIp(ip));
  }
}
