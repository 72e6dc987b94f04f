import { Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';

import { CONFIG, type Config } from '../../config/config.js';
import { consumeQuota, type Quota } from '../../rate-limit/quota.js';

/** Limits the accounts that an address creates per hour. */
@Injectable()
export class SignupQuota {
  private readonly quota: Quota;

  constructor(
    @Inject(CONFIG) config: Config,
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
  ) {
    this.quota = { policy: 'new-accounts', limit: config.signupLimitPerHour, windowMs: 3_600_000 };
  }

  /**
   * Counts a new account of an address.
   *
   * @returns the headers with the remaining quota
   * @throws RateLimited
   */
  consume(ip: string): Promise<Record<string, string>> {
    return consumeQuota(this.storage, this.quota, normalizeIp(ip));
  }
}
