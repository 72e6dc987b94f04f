import { type ArgumentsHost, Catch, Inject } from '@nestjs/common';
import { InjectThrottlerStorage, normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import { PinoLogger } from 'nestjs-pino';

import { Unauthorized } from '../auth/auth.errors.js';
import { CONFIG, type Config } from '../config/config.js';
import { STATUSES, type Statuses } from '../http/errors/error-mapper.js';
import { ErrorFilter } from '../http/errors/error.filter.js';
import { consumeQuota, WINDOW_MS } from './quota.js';

/**
 * Answers a wrong or missing key with 429 instead of 401 when the address has sent too many of them. Valid keys from
 * the same address are still accepted.
 */
@Catch(Unauthorized)
export class RefusedKeyFilter extends ErrorFilter {
  private readonly limit: number | undefined;

  constructor(
    logger: PinoLogger,
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
    @Inject(CONFIG) { rateLimitPerMinute }: Config,
    @Inject(STATUSES) statuses: Statuses,
  ) {
    super(logger, statuses);
    this.limit = rateLimitPerMinute;
  }

  override catch(refusal: Unauthorized, host: ArgumentsHost): void {
    if (this.limit === undefined) {
      super.catch(refusal, host);
      return;
    }
    const { ip = '' } = host.switchToHttp().getRequest<Request>();
    const quota = { policy: 'refused-keys', limit: this.limit, windowMs: WINDOW_MS } as const;
    void consumeQuota(this.storage, quota, normalizeIp(ip)).then(
      () => super.catch(refusal, host),
      (limited: unknown) => super.catch(limited, host),
    );
  }
}
