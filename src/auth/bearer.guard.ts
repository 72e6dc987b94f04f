import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { CONFIG, type Config } from '../config/config.js';
import { Unauthorized } from '../domain/errors.js';
import { clientAddressOf } from '../http/addresses.js';
import { RateLimiter, WINDOW_MS } from '../rate-limit/rate-limiter.js';
import { AuthService } from './auth.service.js';
import { type AuthenticatedRequest, PUBLIC } from './caller.decorator.js';

/**
 * Authenticates a request by its API key, a bearer token (RFC 6750). Operations with `@Public()` need no key. Answers a
 * wrong or missing key with 429 instead of 401 when the address has sent too many of them. Valid keys from the same
 * address are still accepted.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws Unauthorized, RateLimited */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (key === undefined) throw this.refuse(request, Unauthorized.missing(this.auth.verifier.credential));
    const caller = this.auth.findVerified(key);
    if (!caller) return this.verify(request, key);
    request.caller = caller;
    return true;
  }

  /** Returns whether a handler or its class has `@Public()`. */
  isPublic(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<true | undefined>(PUBLIC, targets) ?? false;
  }

  private async verify(request: AuthenticatedRequest, key: string): Promise<true> {
    try {
      request.caller = await this.auth.verify(key);
      return true;
    } catch (error) {
      throw error instanceof Unauthorized ? this.refuse(request, error) : error;
    }
  }

  /** Counts a refused request. Returns the error unless the limit of its address is exceeded. */
  private refuse(request: AuthenticatedRequest, error: Unauthorized): Unauthorized {
    const { rateLimitPerMinute: limit } = this.config;
    if (limit !== undefined) {
      const quota = { policy: 'refused-keys', limit, windowMs: WINDOW_MS } as const;
      this.limiter.consume(quota, clientAddressOf(request));
    }
    return error;
  }
}

/** The scheme, which is case-insensitive, and the key. */
const BEARER = /^Bearer +(\S.*)$/i;
