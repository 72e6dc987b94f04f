import type { IncomingMessage } from 'node:http';

import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { LRUCache } from 'lru-cache';

import { CONFIG, type Config } from '../../config/config.js';
import { Unauthorized, Unavailable } from '../../domain/errors.js';
import { clientAddressOf } from '../../http/client-address.js';
import { findRequest } from '../../http/find-request.js';
import { keyVerifications, refusals } from '../../metrics.js';
import { type AuthenticatedRequest, type Caller, PUBLIC } from './caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';
import { type Quota, RateLimiter, WINDOW_MS } from './rate-limiter.js';

/** The maximum age of a cached caller, from the start of its look-up. So every replica refuses a revoked key within 5 seconds. */
const MAX_AGE_MS = 4000;
const CACHE_SIZE = 10_000;

/** The maximum number of requests that wait for look-ups: each takes 20 to 36 KiB, and its client needs no valid key. */
const MAX_WAITING = 2000;

/**
 * Authenticates clients by their API key, a bearer token (RFC 6750): as a guard, the requests of HTTP and GraphQL, and for
 * gateways, those that open connections. Operations with `@Public()` need no key and have no limit. Limits the requests per
 * minute of an account, with all its keys. Each field of a query of GraphQL that has a resolver of its own counts. Answers a
 * wrong or missing key with 429 instead of 401 when the address has sent too many of them. Valid keys from the same address
 * are still accepted. The callers of valid keys are cached.
 */
@Injectable()
export class Authenticator implements CanActivate {
  private readonly callers = new LRUCache<string, Caller>({ max: CACHE_SIZE, ttl: MAX_AGE_MS });
  private waitingCount = 0;
  private revocationCount = 0;

  constructor(
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
    request.res?.set(this.count('account', request.caller.account.id));
    return true;
  }

  /**
   * Authenticates the client of a gateway, and counts this as one request of its account.
   *
   * @throws Unauthorized, RateLimited, Unavailable
   */
  async authenticate(request: IncomingMessage, key = keyOf(request)): Promise<Caller> {
    const caller = await this.identify(request, key);
    this.count('account', caller.account.id);
    return caller;
  }

  /** Removes a revoked key from the cache. The result of a look-up that began before may be out of date. */
  forget(keyId: bigint): void {
    this.revocationCount++;
    this.callers.forEach((caller, key) => {
      if (caller.keyId === keyId) this.callers.delete(key);
    });
  }

  /** Returns the cached caller of a key, or verifies the key, and counts one that is refused. */
  private async identify(request: IncomingMessage, key: string | undefined): Promise<Caller> {
    try {
      if (key === undefined) throw Unauthorized.missing(this.verifier.credential);
      const cached = this.callers.get(key);
      if (cached) keyVerifications.inc({ source: 'cache' });
      return cached ?? (await this.verify(key));
    } catch (error) {
      if (error instanceof Unauthorized) this.count('refused-keys', clientAddressOf(request));
      throw error;
    }
  }

  private async verify(key: string): Promise<Caller> {
    if (this.waitingCount === MAX_WAITING) {
      refusals.inc({ by: 'batch' });
      throw new Unavailable(new Error('too many requests wait for look-ups of keys'));
    }
    keyVerifications.inc({ source: 'verifier' });
    this.waitingCount++;
    const start = performance.now();
    const { revocationCount } = this;
    try {
      const caller = await this.verifier.findCaller(key);
      if (!caller) throw Unauthorized.invalid(this.verifier.credential);
      if (revocationCount === this.revocationCount) this.callers.set(key, caller, { start });
      return caller;
    } finally {
      this.waitingCount--;
    }
  }

  /** Counts a request if there is a limit. Returns the headers with the remaining quota. */
  private count(policy: Quota['policy'], client: bigint | string): Record<string, string> {
    const { rateLimitPerMinute: limit } = this.config;
    if (limit === undefined) return {};
    return this.limiter.consume({ policy, limit, windowMs: WINDOW_MS }, client.toString());
  }
}

function keyOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

const BEARER = /^Bearer +(\S.*)$/i;
