import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { Unauthorized, Unavailable } from '../../domain/errors.js';
import { keyVerifications, refusals } from '../../metrics.js';
import type { Caller } from './caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/** The maximum age of a result, from the start of its look-up. So every replica refuses a revoked key within 5 seconds. */
const MAX_AGE_MS = 4000;
const CACHE_SIZE = 10_000;

/** The maximum number of requests that wait for look-ups: each takes 20 to 36 KiB, and its client needs no valid key. */
const MAX_WAITING = 2000;

interface LookUp {
  readonly startedAt: number;
  readonly caller: Promise<Caller | undefined>;
}

/** Verifies keys, and caches the callers of valid ones. Requests with the same key share a look-up. */
@Injectable()
export class CallerCache {
  private readonly callers = new LRUCache<string, Caller>({ max: CACHE_SIZE, ttl: MAX_AGE_MS });
  private readonly lookUps = new Map<string, LookUp>();
  private waitingCount = 0;

  constructor(private readonly verifier: KeyVerifier) {}

  find(key: string): Caller | undefined {
    const caller = this.callers.get(key);
    if (caller) keyVerifications.inc({ source: 'cache' });
    return caller;
  }

  /**
   * @throws Unauthorized when the key is not active
   * @throws Unavailable when too many requests wait for look-ups
   */
  async verify(key: string): Promise<Caller> {
    if (this.waitingCount === MAX_WAITING) {
      refusals.inc({ by: 'batch' });
      throw new Unavailable(new Error('too many requests wait for look-ups of keys'));
    }
    this.waitingCount++;
    const caller = await this.lookUp(key).finally(() => this.waitingCount--);
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

  /** Returns the result of a look-up for the key that has begun, or of another one. */
  private async lookUp(key: string): Promise<Caller | undefined> {
    const current = this.lookUps.get(key);
    if (current && performance.now() - current.startedAt < MAX_AGE_MS) return current.caller;
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
