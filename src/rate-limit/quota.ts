import type { ThrottlerStorage } from '@nestjs/throttler';

import { RateLimited } from './rate-limit.errors.js';

/** The window in which requests are counted, unless an operation has one of its own. */
export const WINDOW_MS = 60_000;

/** What each client may ask in a window of time. */
export interface Quota {
  /** What is counted: requests of a key, or of an address: all, those refused for their key, or for new accounts. */
  readonly policy: 'key' | 'address' | 'refused-keys' | 'new-accounts';
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counts a request of a client.
 *
 * @returns the headers that tell what is left of the quota (draft-ietf-httpapi-ratelimit-headers-10)
 * @throws RateLimited when nothing was left, with the same headers
 */
export async function spend(
  storage: ThrottlerStorage,
  { policy, limit, windowMs }: Quota,
  client: string,
): Promise<Record<string, string>> {
  const used = await storage.increment(`${policy} ${client}`, windowMs, limit, windowMs, policy);
  const headers = {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${windowMs / 1000}`,
    RateLimit: `"${policy}";r=${Math.max(0, limit - used.totalHits)};t=${used.timeToExpire}`,
  };
  if (used.isBlocked) throw new RateLimited(used.timeToExpire, headers);
  return headers;
}
