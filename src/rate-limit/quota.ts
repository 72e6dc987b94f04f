import type { ThrottlerStorage } from '@nestjs/throttler';

import { RateLimited } from './rate-limit.errors.js';

/** The default window. */
export const WINDOW_MS = 60_000;

/** The number of requests that each client may send in a window. */
export interface Quota {
  /** The counted requests: those of a key, of an address, with an invalid key, or for new accounts. */
  readonly policy: 'key' | 'address' | 'refused-keys' | 'new-accounts';
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counts a request of a client.
 *
 * @returns the headers with the remaining quota (draft-ietf-httpapi-ratelimit-headers-10)
 * @throws RateLimited when the quota is exhausted, with the same headers
 */
export async function consumeQuota(
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
