import type { ThrottlerStorage } from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';

/** How often a client has asked since its window began, and when that ends. */
interface Window {
  hits: number;
  readonly endsAt: number;
}

/** Clients that are counted at once, at most; the one that was quiet for the longest time is forgotten. */
const MAX_CLIENTS = 100_000;

/**
 * Counts the requests of each client in this process, in windows that start with a client's first
 * request. It keeps two numbers a client; the library's own storage keeps the time of every request,
 * and goes through all of them at each.
 */
export class FixedWindows implements ThrottlerStorage {
  private cache: LRUCache<string, Window> | undefined;

  increment(client: string, windowMs: number, limit: number): ReturnType<ThrottlerStorage['increment']> {
    const now = performance.now();
    let window = this.windows.get(client);
    if (!window || window.endsAt <= now) {
      this.windows.set(client, (window = { hits: 0, endsAt: now + windowMs }));
    }
    window.hits++;
    const secondsLeft = Math.ceil((window.endsAt - now) / 1000);
    return Promise.resolve({
      totalHits: window.hits,
      timeToExpire: secondsLeft,
      isBlocked: window.hits > limit,
      timeToBlockExpire: secondsLeft,
    });
  }

  /** Made for the first client: it takes its room, 3 MiB, at once. */
  private get windows(): LRUCache<string, Window> {
    this.cache ??= new LRUCache({ max: MAX_CLIENTS });
    return this.cache;
  }
}
