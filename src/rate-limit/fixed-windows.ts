import type { ThrottlerStorage } from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';

/** The number of requests of a client in its current window, and the end of the window. */
interface Window {
  hits: number;
  readonly endsAt: number;
}

/** The maximum number of clients. Beyond it, the least recently active client is evicted. */
const MAX_CLIENTS = 100_000;

/**
 * Counts the requests of each client in this process. A window starts with the first request of a client. It stores two
 * numbers per client; the storage of the library keeps a timer per request.
 */
export class FixedWindows implements ThrottlerStorage {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_CLIENTS });

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
}
