import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { CONFIG, type Config } from '../../config/config.js';
import { toErrorResponse } from '../../http/errors/error-response.js';
import { SignupClosed } from '../auth.errors.js';
import { SignupQuota } from './signup-quota.js';

/** Refuses a sign-up before its body is read: when the operator has disabled it, or the quota is exhausted. */
@Injectable()
export class SignupMiddleware implements NestMiddleware {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly quota: SignupQuota,
  ) {}

  /** @throws ErrorResponse of a {@link SignupClosed} or RateLimited */
  use(request: Request, _response: Response, next: NextFunction): void {
    try {
      if (this.config.signup === 'closed') throw new SignupClosed(this.config.supportContact);
      this.quota.check(request);
    } catch (error) {
      throw toErrorResponse(error);
    }
    next();
  }
}
