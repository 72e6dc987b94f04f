import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { CONFIG, type Config } from '../config/config.js';
import { Forbidden } from '../domain/errors.js';
import { clientAddressOf } from '../http/client-address.js';
import { RateLimiter } from './callers/rate-limiter.js';

/** The operator has disabled self-service sign-up. */
export class SignupClosed extends Forbidden {
  constructor(contact = 'the operator') {
    super(`The operator of this service creates the accounts. Ask ${contact} for one.`);
  }
}

/** Limits the sign-ups of an address per hour, or refuses all of them, before their bodies are read. */
@Injectable()
export class SignupMiddleware implements NestMiddleware {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly limiter: RateLimiter,
  ) {}

  /** @throws SignupClosed, RateLimited */
  use(request: Request, response: Response, next: NextFunction): void {
    const { signup, signupLimitPerHour: limit, supportContact } = this.config;
    const quota = { policy: 'new-accounts', limit, windowMs: 3_600_000 } as const;
    if (signup === 'closed') throw new SignupClosed(supportContact);
    response.set(this.limiter.consume(quota, clientAddressOf(request)));
    next();
  }
}
