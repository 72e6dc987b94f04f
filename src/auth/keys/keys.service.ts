import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { Conflict, Forbidden, NotFound } from '../../domain/errors.js';
import { MAX_KEYS } from '../../limits.js';
import { RateLimiter } from '../callers/rate-limiter.js';
import type { CreatedAccount } from '../accounts/account.dto.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { Authenticator } from '../callers/authenticator.js';
import { KeyVerifier } from '../callers/key-verifier.js';
import { createKey } from './api-key.js';
import { ApiKeyVerifier } from './api-key-verifier.js';
import type { CreatedKey, Key } from './key.dto.js';
import { type KeyOfAccount, KeysRepository } from './keys.repository.js';

const FIRST_KEY_LABEL = 'first key';

export class TooManyKeys extends Conflict {
  constructor(maxKeys: number) {
    super(`The account has ${maxKeys} active keys, which is the maximum. Revoke one first.`);
  }
}

/** Creates accounts with a key, and creates, lists and revokes the keys of accounts. */
@Injectable()
export class KeysService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly keys: KeysRepository,
    private readonly authenticator: Authenticator,
    private readonly verifier: KeyVerifier,
    private readonly limiter: RateLimiter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Whether this service issues keys. It does unless a team's verifier accepts only those of another system. */
  get issuesKeys(): boolean {
    return this.verifier instanceof ApiKeyVerifier;
  }

  /**
   * Creates an account for a visitor, and its first key. A random suffix makes the name unique, so that visitors can
   * neither find out which names exist nor get a key of an existing account.
   */
  async signUp(name: string): Promise<CreatedAccount> {
    const { key, ...stored } = createKey();
    const uniqueName = `${name}-${randomBytes(4).toString('hex')}`;
    const account = await this.keys.insertFirst(uniqueName, { label: FIRST_KEY_LABEL, ...stored });
    return { account, key };
  }

  /** @throws RateLimited, TooManyKeys */
  create(accountId: bigint, label: string): Promise<CreatedKey> {
    const quota = { policy: 'new-keys', limit: this.config.keyLimitPerHour, windowMs: 3_600_000 } as const;
    this.limiter.consume(quota, accountId.toString());
    return this.insert(accountId, label);
  }

  /**
   * Creates a key for the operator, and its account if it does not exist.
   *
   * @throws Forbidden, TooManyKeys
   */
  async createFor(accountName: string, label: string): Promise<CreatedKey> {
    this.assertIssuesKeys();
    const { id } = await this.accounts.getOrCreate(accountName);
    return this.insert(id, label);
  }

  /** Creates the first account and its key, in an empty database of a service that issues keys. */
  async createFirst(): Promise<CreatedKey | undefined> {
    return !this.issuesKeys || (await this.accounts.hasAny())
      ? undefined
      : this.createFor('default', FIRST_KEY_LABEL);
  }

  /** @throws Forbidden when another system issues the keys */
  async list(): Promise<KeyOfAccount[]> {
    this.assertIssuesKeys();
    return this.keys.list();
  }

  listOf(accountId: bigint): Promise<Key[]> {
    return this.keys.listOf(accountId);
  }

  /**
   * Revokes a key, of the account if one is given.
   *
   * @throws Forbidden, NotFound
   */
  async revoke(id: bigint, accountId?: bigint): Promise<void> {
    this.assertIssuesKeys();
    const isRevoked = await this.keys.revoke(id, accountId);
    if (!isRevoked) throw new NotFound('active key', id);
    this.authenticator.forget(id);
  }

  private async insert(accountId: bigint, label: string): Promise<CreatedKey> {
    const { key, ...stored } = createKey();
    const inserted = await this.keys.insert(accountId, { label, ...stored }, MAX_KEYS);
    if (!inserted) throw new TooManyKeys(MAX_KEYS);
    return Object.assign(inserted, { key });
  }

  private assertIssuesKeys(): void {
    if (this.issuesKeys) return;
    throw new Forbidden('Another system creates and revokes the keys of this service.');
  }
}
