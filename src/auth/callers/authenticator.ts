import type { IncomingMessage } from 'node:http';

import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { CONFIG, type Config } from '../../config/config.js';
import { Unauthorized } from '../../domain/errors.js';
import { clientAddressOf } from '../../http/client-address.js';
import { findRequest } from '../../http/find-request.js';
import { type Quota, RateLimiter, WINDOW_MS } from '../../rate-limit/rate-limiter.js';
import { CallerCache } from './caller-cache.js';
import { type AuthenticatedRequest, type Caller, PUBLIC } from './caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/**
 * Authenticates clients by their API key, a bearer token (RFC 6750): as a guard, the requests of HTTP and GraphQL, and for
 * gateways, those that open connections. Operations with `@Public()` need no key. Answers a wrong or missing key with 429
 * instead of 401 when the address has sent too many of them. Valid keys from the same address are still accepted.
 */
@Injectable()
export class Authenticator implements CanActivate {
  constructor(
    private readonly callers: CallerCache,
    private readonly verifier: KeyVerifier,
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws Unauthorized, RateLimited, Unavailable */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<true | undefined>(PUBLIC, targets)) return true;
    const request = findRequest(context) as AuthenticatedRequest | undefined;
    if (!request) {
      throw new Error(
        `${context.getClass().name} gets no HTTP request. Check its keys with Authenticator, and add @Public() to it.`,
      );
    }
    request.caller = await this.identify(request, keyOf(request));
    return true;
  }

  /**
   * Authenticates the client of a gateway, and counts this as one request of its account.
   *
   * @throws Unauthorized, RateLimited, Unavailable
   */
  async authenticate(request: IncomingMessage, key = keyOf(request)): Promise<Caller> {
    const caller = await this.identify(request, key);
    this.count('account', caller.account.id.toString());
    return caller;
  }

  /** Returns the cached caller of a key, or verifies the key, and counts one that is refused. */
  private async identify(request: IncomingMessage, key: string | undefined): Promise<Caller> {
    try {
      if (key === undefined) throw Unauthorized.missing(this.verifier.credential);
      return this.callers.find(key) ?? (await this.callers.verify(key));
    } catch (error) {
      if (error instanceof Unauthorized) this.count('refused-keys', clientAddressOf(request));
      throw error;
    }
  }

  private count(policy: Quota['policy'], client: string): void {
    const { rateLimitPerMinute: limit } = this.config;
    if (limit !== undefined) this.limiter.consume({ policy, limit, windowMs: WINDOW_MS }, client);
  }
}

function keyOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

const BEARER = /^Bearer +(\S.*)$/i;
