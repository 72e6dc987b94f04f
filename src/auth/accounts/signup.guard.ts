import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';

import { CONFIG, type Config } from '../../config/config.js';
import { type Quota, spend } from '../../rate-limit/quota.js';
import { SignupClosed } from '../auth.errors.js';

/** Lets an address make some accounts an hour; none where accounts are made by the operator alone. */
@Injectable()
export class SignupGuard implements CanActivate {
  private readonly quota: Quota;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
  ) {
    this.quota = { policy: 'new-accounts', limit: config.signupLimitPerHour, windowMs: 3_600_000 };
  }

  /** @throws SignupClosed, RateLimited */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.config.signup === 'closed') throw new SignupClosed(this.config.supportContact);
    const http = context.switchToHttp();
    const { ip = '' } = http.getRequest<Request>();
    http.getResponse<Response>().set(await spend(this.storage, this.quota, normalizeIp(ip)));
    return true;
  }
}
