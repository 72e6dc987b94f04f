import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { FeatureMetrics } from '../observability/metrics/feature.metrics.js';
import { Unauthorized } from './auth.errors.js';
import type { Caller } from './caller.decorator.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeyVerifier } from './keys/key-verifier.js';

/** Every replica rejects a revoked key within 5 seconds. The remaining second covers a slow look-up. */
const EXPIRES_AFTER_MS = 4000;
const CACHE_SIZE = 10_000;

/** The age at which the cache entry of a key in use is refreshed. */
const REFRESH_AFTER_MS = 2000;

/** A cache entry: the caller of a key, and the times of refresh and expiry. */
interface Verified {
  readonly caller: Caller;
  refreshAt: number;
  readonly expiresAt: number;
}

/** Verifies API keys, and caches the callers of valid ones. */
@Injectable()
export class AuthService {
  private readonly verified = new LRUCache<string, Verified>({ max: CACHE_SIZE });
  private revocations = 0;

  constructor(
    private readonly verifier: KeyVerifier,
    private readonly metrics: FeatureMetrics,
  ) {}

  /** Whether this service issues the keys. It does not if a team has replaced the verifier. */
  get issuesKeys(): boolean {
    return this.verifier instanceof ApiKeyVerifier;
  }

  /** Describes the keys to clients, in Markdown. */
  get description(): string {
    return this.verifier.description;
  }

  /** Returns the cached caller of a key. The entry of a key in use is refreshed in the background before it expires. */
  findVerified(key: string): Caller | undefined {
    const verified = this.verified.get(key);
    const now = performance.now();
    if (!verified || now > verified.expiresAt) return undefined;
    this.metrics.verifications.inc({ source: 'cache' });
    if (now > verified.refreshAt) {
      verified.refreshAt = Infinity;
      // A request after the expiry verifies the key again and reports the error.
      this.verify(key).catch(() => undefined);
    }
    return verified.caller;
  }

  /** @throws Unauthorized when the key is not active */
  async verify(key: string): Promise<Caller> {
    const start = performance.now();
    const { revocations } = this;
    this.metrics.verifications.inc({ source: 'verifier' });
    const caller = await this.verifier.findCaller(key);
    if (!caller) {
      this.verified.delete(key);
      throw Unauthorized.invalidKey();
    }
    // The result may date from the start of the look-up, and so from before a revocation during the look-up.
    if (revocations === this.revocations) {
      const [refreshAt, expiresAt] = [start + REFRESH_AFTER_MS, start + EXPIRES_AFTER_MS];
      this.verified.set(key, { caller, refreshAt, expiresAt });
    }
    return caller;
  }

  /** Empties the cache after a revocation. The results of look-ups in progress are not cached either. */
  clearCache(): void {
    this.revocations++;
    this.verified.clear();
  }
}
