import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { CONFIG, type Config } from '../config/config.js';
import { Forbidden } from '../domain/errors.js';
import { clientAddressOf } from '../http/client-address.js';
import { toErrorResponse } from '../http/errors/error-response.js';
import { type Quota, RateLimiter } from '../rate-limit/rate-limiter.js';

/** The operator has disabled self-service sign-up. */
export class SignupClosed extends Forbidden {
  constructor(contact = 'the operator') {
    super(`The operator of this service creates the accounts. Ask ${contact} for one.`);
  }
}

/** Limits the accounts that an address creates per hour, or refuses all of them. */
@Injectable()
export class SignupMiddleware implements NestMiddleware {
  private readonly quota: Quota;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly limiter: RateLimiter,
  ) {
    this.quota = { policy: 'new-accounts', limit: config.signupLimitPerHour, windowMs: 3_600_000 };
  }

  /**
   * Refuses a sign-up before its body is read.
   *
   * @throws ErrorResponse of SignupClosed or RateLimited
   */
  use(request: Request, _response: Response, next: NextFunction): void {
    try {
      this.assertOpen();
      this.limiter.consume(this.quota, clientAddressOf(request), false);
    } catch (error) {
      throw toErrorResponse(error);
    }
    next();
  }

  /**
   * Counts a new account of the client's address. A controller of a team may have another path than the middleware.
   *
   * @throws RateLimited, SignupClosed
   */
  consume(request: Request): Record<string, string> {
    this.assertOpen();
    return this.limiter.consume(this.quota, clientAddressOf(request));
  }

  private assertOpen(): void {
    if (this.config.signup === 'closed') throw new SignupClosed(this.config.supportContact);
  }
}
