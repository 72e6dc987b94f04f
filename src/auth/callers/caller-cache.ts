import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { Unauthorized } from '../../domain/errors.js';
import { keyVerifications } from '../../metrics.js';
import type { Caller } from './caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/** The maximum age of a result, from the start of its look-up. So every replica refuses a revoked key within 5 seconds. */
const MAX_AGE_MS = 4000;
const CACHE_SIZE = 10_000;

interface LookUp {
  readonly startedAt: number;
  readonly caller: Promise<Caller | undefined>;
}

/** Verifies keys, and caches the callers of valid ones. Requests with the same key share a look-up. */
@Injectable()
export class CallerCache {
  private readonly callers = new LRUCache<string, Caller>({ max: CACHE_SIZE, ttl: MAX_AGE_MS });
  private readonly lookUps = new Map<string, LookUp>();

  constructor(private readonly verifier: KeyVerifier) {}

  find(key: string): Caller | undefined {
    const caller = this.callers.get(key);
    if (caller) keyVerifications.inc({ source: 'cache' });
    return caller;
  }

  /** @throws Unauthorized when the key is not active */
  async verify(key: string): Promise<Caller> {
    const current = this.lookUps.get(key);
    const isRecent = current && performance.now() - current.startedAt < MAX_AGE_MS;
    const caller = await (isRecent ? current.caller : this.lookUp(key));
    if (!caller) throw Unauthorized.invalid(this.verifier.credential);
    return caller;
  }

  /** Removes a revoked key from the cache. Later requests share no look-up that began before the revocation. */
  forget(keyId: bigint): void {
    this.lookUps.clear();
    this.callers.forEach((caller, key) => {
      if (caller.keyId === keyId) this.callers.delete(key);
    });
  }

  private async lookUp(key: string): Promise<Caller | undefined> {
    keyVerifications.inc({ source: 'verifier' });
    const lookUp = { startedAt: performance.now(), caller: this.verifier.findCaller(key) };
    this.lookUps.set(key, lookUp);
    try {
      const caller = await lookUp.caller;
      // After a revocation, or for a later look-up, the result may be out of date.
      if (caller && this.lookUps.get(key) === lookUp) {
        this.callers.set(key, caller, { start: lookUp.startedAt });
      }
      return caller;
    } finally {
      if (this.lookUps.get(key) === lookUp) this.lookUps.delete(key);
    }
  }
}
