import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { RateLimited } from '../../domain/errors.js';

export const WINDOW_MS = 60_000;

/** The maximum number of clients. Beyond it, the least recently active client is evicted. */
const MAX_CLIENTS = 100_000;

/** The number of requests that each client may send in a window. */
export interface Quota {
  /** The counted requests: those of an account, with an invalid key, for new accounts or keys. */
  readonly policy: 'account' | 'refused-keys' | 'new-accounts' | 'new-keys';
  readonly limit: number;
  readonly windowMs: number;
}

/** Counts the requests of each client in this process. A window starts with the first request of a client. */
@Injectable()
export class RateLimiter {
  /** Without `ttlResolution: 0`, the cache may compute with an earlier time, and a window could seem too long. */
  private readonly hits = new LRUCache<string, number>({
    max: MAX_CLIENTS,
    ttl: WINDOW_MS,
    ttlResolution: 0,
  });

  /**
   * Counts a request of a client. Returns the headers with the remaining quota.
   *
   * @throws RateLimited with the same headers
   */
  consume({ policy, limit, windowMs }: Quota, client: string): Record<string, string> {
    const key = `${policy} ${client}`;
    const hits = (this.hits.get(key) ?? 0) + 1;
    this.hits.set(key, hits, { ttl: windowMs, noUpdateTTL: true });
    const secondsLeft = Math.max(1, Math.ceil(this.hits.getRemainingTTL(key) / 1000));
    const headers = {
      'RateLimit-Policy': `"${policy}";q=${limit};w=${windowMs / 1000}`,
      RateLimit: `"${policy}";r=${Math.max(0, limit - hits)};t=${secondsLeft}`,
    };
    if (hits > limit) throw new RateLimited(secondsLeft, headers);
    return headers;
  }
}
