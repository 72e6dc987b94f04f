import { randomBytes } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { AccountsService } from './accounts/accounts.service.js';
import { hashKey, mintKey, startOfKey } from './keys/api-key.js';
import { KeyNotFound, KeysManagedElsewhere, TooManyKeys, Unauthorized } from './auth.errors.js';
import { type AccountRecord, AuthRepository, type KeyOfAccount, type KeyRecord } from './auth.repository.js';
import type { Caller } from './caller.decorator.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { recordVerification } from './keys/key-verification.diagnostics.js';

/** Every replica rejects a revoked key within 5 seconds. The remaining second covers a slow look-up. */
const EXPIRES_AFTER_MS = 4000;
const CACHE_SIZE = 10_000;

/** The age at which the cache entry of a key in use is refreshed. */
const REFRESH_AFTER_MS = 2000;

/** The label of an account's first key. */
const FIRST_KEY = 'first key';

/** The maximum number of active keys of an account. */
export const MAX_KEYS = 100;

/** The number of keys per page of {@link AuthService.listKeys}. */
const PAGE_SIZE = 1000;

export type { KeyOfAccount };

/** A new key with its secret. */
export type CreatedKey = KeyRecord & { readonly key: string };

/** A cache entry: the caller of a key, and the times of refresh and expiry. */
interface Verified {
  readonly caller: Caller;
  refreshAt: number;
  readonly expiresAt: number;
}

/** The rules about accounts and their keys. */
@Injectable()
export class AuthService {
  private readonly verified = new LRUCache<string, Verified>({ max: CACHE_SIZE });
  private revocations = 0;

  constructor(
    private readonly auth: AuthRepository,
    private readonly accounts: AccountsService,
    private readonly verifier: KeyVerifier,
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
    recordVerification('cache');
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
    recordVerification('verifier');
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

  /**
   * Creates a key for the account with this name. Creates the account if it does not exist.
   *
   * @throws KeysManagedElsewhere, TooManyKeys
   */
  async createKeyFor(accountName: string, label: string): Promise<CreatedKey> {
    return this.createKey(await this.accounts.getOrCreate(accountName), label);
  }

  /**
   * Creates an account for a visitor, and its first key. A random suffix makes the name unique, so that visitors can
   * neither find out which names exist nor get a key of an existing account.
   */
  async signUp(name: string): Promise<{ account: AccountRecord; key: string }> {
    const key = mintKey();
    const uniqueName = `${name}-${randomBytes(4).toString('hex')}`;
    const account = await this.auth.insertAccount(uniqueName, FIRST_KEY, hashKey(key), startOfKey(key));
    return { account, key };
  }

  /** @throws KeysManagedElsewhere, TooManyKeys */
  async createKey(accountId: bigint, label: string): Promise<CreatedKey> {
    if (!this.issuesKeys) throw new KeysManagedElsewhere();
    const key = mintKey();
    const record = await this.auth.insertKey(accountId, label, hashKey(key), startOfKey(key), MAX_KEYS);
    if (!record) throw new TooManyKeys(MAX_KEYS);
    return { ...record, key };
  }

  /**
   * Creates the first account and its key in an empty database. Returns undefined if the database has accounts, or if
   * another system issues the keys.
   */
  async findFirstKey(): Promise<CreatedKey | undefined> {
    return !this.issuesKeys || (await this.auth.hasAccounts())
      ? undefined
      : this.createKeyFor('default', FIRST_KEY);
  }

  /** Lists the keys of all accounts for the operator, page by page, in the order of their ids. */
  async *listKeys(): AsyncGenerator<KeyOfAccount[]> {
    let page: KeyOfAccount[];
    let after = 0n;
    do {
      page = await this.auth.listKeys(after, PAGE_SIZE);
      yield page;
      after = page.at(-1)?.id ?? after;
    } while (page.length === PAGE_SIZE);
  }

  getAccount(id: bigint): Promise<AccountRecord> {
    return this.auth.getAccount(id);
  }

  /** Lists the active keys of an account. */
  listKeysOf(accountId: bigint): Promise<KeyRecord[]> {
    return this.auth.listKeysOf(accountId);
  }

  /**
   * Revokes a key, of the account if one is given.
   *
   * @throws KeyNotFound when there is no such active key
   */
  async revokeKey(id: bigint, accountId?: bigint): Promise<void> {
    const revoked = await this.auth.revokeKey(id, accountId);
    if (!revoked) throw new KeyNotFound(id);
    this.revocations++;
    this.verified.clear();
  }
}
