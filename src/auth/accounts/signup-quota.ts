import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';

import { CONFIG, type Config } from '../../config/config.js';
import { clientAddressOf } from '../../http/addresses.js';
import { type Quota, RateLimiter } from '../../rate-limit/rate-limiter.js';

/** Limits the accounts that an address creates per hour. */
@Injectable()
export class SignupQuota {
  private readonly quota: Quota;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly limiter: RateLimiter,
  ) {
    this.quota = { policy: 'new-accounts', limit: config.signupLimitPerHour, windowMs: 3_600_000 };
  }

  /** @throws RateLimited when the quota of the client's address is exhausted */
  check(request: Request): void {
    this.limiter.check(this.quota, clientAddressOf(request));
  }

  /**
   * Counts a new account of the client's address.
   *
   * @returns the headers with the remaining quota
   * @throws RateLimited
   */
  consume(request: Request): Record<string, string> {
    return this.limiter.consume(this.quota, clientAddressOf(request));
  }
}
