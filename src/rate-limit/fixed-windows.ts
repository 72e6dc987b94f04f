import type { ThrottlerStorage } from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';

import { WINDOW_MS } from './quota.js';

/** The maximum number of clients. Beyond it, the least recently active client is evicted. */
const MAX_CLIENTS = 100_000;

/**
 * Counts the requests of each client in this process. A window starts with the first request of a client. The storage of
 * the library keeps a timer per request.
 */
export class FixedWindows implements ThrottlerStorage {
  private readonly hits = new LRUCache<string, number>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  increment(client: string, windowMs: number, limit: number): ReturnType<ThrottlerStorage['increment']> {
    const totalHits = (this.hits.get(client) ?? 0) + 1;
    this.hits.set(client, totalHits, { ttl: windowMs, noUpdateTTL: true });
    const secondsLeft = Math.max(1, Math.ceil(this.hits.getRemainingTTL(client) / 1000));
    return Promise.resolve({
      totalHits,
      timeToExpire: secondsLeft,
      isBlocked: totalHits > limit,
      timeToBlockExpire: secondsLeft,
    });
  }
}
