import { randomBytes } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { AccountsService } from './accounts/accounts.service.js';
import { hashKey, mintKey, startOfKey } from './keys/api-key.js';
import { KeyNotFound, KeysMadeElsewhere, TooManyKeys, Unauthorized } from './auth.errors.js';
import { type AccountRecord, AuthRepository, type KeyOfAccount, type KeyRecord } from './auth.repository.js';
import type { Caller } from './caller.decorator.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { noteVerification } from './keys/key-verification.diagnostics.js';

/** A revoked key is refused by every replica after 5 seconds; the rest is for a look-up that takes its time. */
const EXPIRES_AFTER_MS = 4000;
const CACHE_SIZE = 10_000;

/** How old what is known of a key may be before it is looked up again, while it goes on being used. */
const REFRESH_AFTER_MS = 2000;

/** The label of an account's first key. */
const FIRST_KEY = 'first key';

/** How many keys in force an account may have. */
export const MAX_KEYS = 100;

/** How many keys are read from the database at once, when all are listed. */
const PAGE_SIZE = 1000;

export type { KeyOfAccount };

/** A key at the one moment when it can be seen. */
export type CreatedKey = KeyRecord & { readonly key: string };

/** What a look-up told, and when to look again. */
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

  /** Whether keys are made and revoked here, rather than where those of another verifier come from. */
  get keepsKeys(): boolean {
    return this.verifier instanceof ApiKeyVerifier;
  }

  /** What clients are told of the keys, in Markdown. */
  get description(): string {
    return this.verifier.description;
  }

  /** Whose key it is, if it was verified in the last few seconds. A key in use is kept so, and nobody waits for it. */
  findVerified(key: string): Caller | undefined {
    const verified = this.verified.get(key);
    const now = performance.now();
    if (!verified || now > verified.expiresAt) return undefined;
    noteVerification('cache');
    if (now > verified.refreshAt) {
      verified.refreshAt = Infinity;
      // What goes wrong meets whoever comes when the key has expired.
      this.verify(key).catch(() => undefined);
    }
    return verified.caller;
  }

  /** @throws Unauthorized when the key is none that is in force */
  async verify(key: string): Promise<Caller> {
    const start = performance.now();
    const { revocations } = this;
    noteVerification('verifier');
    const caller = await this.verifier.findCaller(key);
    if (!caller) {
      this.verified.delete(key);
      throw Unauthorized.invalidKey();
    }
    // What the look-up saw may be as old as its start, and from before a revocation that came meanwhile.
    if (revocations === this.revocations) {
      const [refreshAt, expiresAt] = [start + REFRESH_AFTER_MS, start + EXPIRES_AFTER_MS];
      this.verified.set(key, { caller, refreshAt, expiresAt });
    }
    return caller;
  }

  /**
   * Makes a key for the account of that name, and the account itself when it is new.
   *
   * @throws KeysMadeElsewhere, TooManyKeys
   */
  async createKeyFor(accountName: string, label: string): Promise<CreatedKey> {
    return this.createKey(await this.accounts.getOrCreate(accountName), label);
  }

  /**
   * Makes an account for a visitor, and its first key. What is added to the name makes it unique: nobody
   * learns which names are taken, or gets the account that an operator knows by a name.
   */
  async signUp(name: string): Promise<{ account: AccountRecord; key: string }> {
    const key = mintKey();
    const uniqueName = `${name}-${randomBytes(4).toString('hex')}`;
    const account = await this.auth.insertAccount(uniqueName, FIRST_KEY, hashKey(key), startOfKey(key));
    return { account, key };
  }

  /** @throws KeysMadeElsewhere, TooManyKeys */
  async createKey(accountId: bigint, label: string): Promise<CreatedKey> {
    if (!this.keepsKeys) throw new KeysMadeElsewhere();
    const key = mintKey();
    const record = await this.auth.insertKey(accountId, label, hashKey(key), startOfKey(key), MAX_KEYS);
    if (!record) throw new TooManyKeys(MAX_KEYS);
    return { ...record, key };
  }

  /** Makes the first account and its key in an empty database; undefined when it is not empty, or keeps no keys. */
  async findFirstKey(): Promise<CreatedKey | undefined> {
    return !this.keepsKeys || (await this.auth.hasAccounts())
      ? undefined
      : this.createKeyFor('default', FIRST_KEY);
  }

  /** Reads all keys of all accounts, for the operator, page by page in the order of their ids. */
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

  /** The keys of an account that are in force. */
  listKeysOf(accountId: bigint): Promise<KeyRecord[]> {
    return this.auth.listKeysOf(accountId);
  }

  /**
   * Revokes a key, of that account if one is given.
   *
   * @throws KeyNotFound when there is none in force with that id
   */
  async revokeKey(id: bigint, accountId?: bigint): Promise<void> {
    const revoked = await this.auth.revokeKey(id, accountId);
    if (!revoked) throw new KeyNotFound(id);
    this.revocations++;
    this.verified.clear();
  }
}
