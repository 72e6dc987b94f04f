import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { Unauthorized } from '../domain/errors.js';
import { keyVerifications } from '../metrics.js';
import type { Caller } from './caller.decorator.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeyVerifier } from './keys/key-verifier.js';

/** Every replica rejects a revoked key within 5 seconds. The remaining second covers a slow look-up. */
const EXPIRES_AFTER_MS = 4000;
const CACHE_SIZE = 10_000;

/** Verifies API keys, and caches the callers of valid ones. */
@Injectable()
export class AuthService {
  private revocations = 0;

  private readonly callers = new LRUCache<string, Caller>({
    max: CACHE_SIZE,
    ttl: EXPIRES_AFTER_MS,
    // A look-up whose entry is removed meanwhile still has its result, which is not cached.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options }) => {
      const { revocations } = this;
      const startedAt = performance.now();
      keyVerifications.inc({ source: 'verifier' });
      const caller = await this.verifier.findCaller(key);
      // The result may date from the start of the look-up, and so from before a revocation during the look-up.
      const ageMs = revocations === this.revocations ? performance.now() - startedAt : Infinity;
      options.ttl = Math.max(1, EXPIRES_AFTER_MS - ageMs);
      return caller;
    },
  });

  constructor(readonly verifier: KeyVerifier) {}

  /** Whether this service issues the keys. It does not if a team has replaced the verifier. */
  get issuesKeys(): boolean {
    return this.verifier instanceof ApiKeyVerifier;
  }

  /** Returns the cached caller of a key. */
  findVerified(key: string): Caller | undefined {
    const caller = this.callers.get(key);
    if (caller) keyVerifications.inc({ source: 'cache' });
    return caller;
  }

  /** @throws Unauthorized when the key is not active */
  async verify(key: string): Promise<Caller> {
    const caller = await this.callers.fetch(key);
    if (!caller) throw Unauthorized.invalid(this.verifier.credential);
    return caller;
  }

  /** Removes a revoked key from the cache. The results of look-ups in progress are not cached either. */
  forget(keyId: bigint): void {
    this.revocations++;
    this.callers.forEach((caller, key) => {
      if (caller.keyId === keyId) this.callers.delete(key);
    });
  }
}
