import { randomBytes } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Forbidden, NotFound } from '../../domain/errors.js';
import { MAX_KEYS } from '../../limits.js';
import type { CreatedAccount } from '../accounts/account.dto.js';
import { AccountsRepository, type KeyOfAccount } from '../accounts.repository.js';
import { TooManyKeys } from '../auth.errors.js';
import { AuthService } from '../auth.service.js';
import { createKey } from './api-key.js';
import type { CreatedKey, Key } from './key.dto.js';

const FIRST_KEY_LABEL = 'first key';

/** Creates accounts with a key, and creates, lists and revokes the keys of accounts. */
@Injectable()
export class KeysService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly auth: AuthService,
  ) {}

  /**
   * Creates an account for a visitor, and its first key. A random suffix makes the name unique, so that visitors can
   * neither find out which names exist nor get a key of an existing account.
   */
  async signUp(name: string): Promise<CreatedAccount> {
    const { key, ...stored } = createKey();
    const uniqueName = `${name}-${randomBytes(4).toString('hex')}`;
    const account = await this.accounts.insert(uniqueName, { label: FIRST_KEY_LABEL, ...stored });
    return { account, key };
  }

  /**
   * Creates a key for an account.
   *
   * @throws Forbidden when another system issues the keys
   * @throws TooManyKeys
   */
  async create(accountId: bigint, label: string): Promise<CreatedKey> {
    if (!this.auth.issuesKeys) {
      throw new Forbidden('Another system creates and revokes the keys of this service.');
    }
    const { key, ...stored } = createKey();
    const inserted = await this.accounts.insertKey(accountId, { label, ...stored }, MAX_KEYS);
    if (!inserted) throw new TooManyKeys(MAX_KEYS);
    return Object.assign(inserted, { key });
  }

  /**
   * Creates a key for the account with this name. Creates the account if it does not exist.
   *
   * @throws Forbidden when another system issues the keys
   * @throws TooManyKeys
   */
  async createFor(accountName: string, label: string): Promise<CreatedKey> {
    const { id } = await this.accounts.getOrCreate(accountName);
    return this.create(id, label);
  }

  /**
   * Creates the first account and its key in an empty database. Returns undefined if the database has accounts, or if
   * another system issues the keys.
   */
  async createFirst(): Promise<CreatedKey | undefined> {
    return !this.auth.issuesKeys || (await this.accounts.hasAny())
      ? undefined
      : this.createFor('default', FIRST_KEY_LABEL);
  }

  /** Lists the keys of all accounts for the operator, including revoked ones. */
  list(): Promise<KeyOfAccount[]> {
    return this.accounts.listKeys();
  }

  /** Lists the active keys of an account. */
  listOf(accountId: bigint): Promise<Key[]> {
    return this.accounts.listKeysOf(accountId);
  }

  /**
   * Revokes a key, of the account if one is given.
   *
   * @throws NotFound when there is no such active key
   */
  async revoke(id: bigint, accountId?: bigint): Promise<void> {
    const revoked = await this.accounts.revokeKey(id, accountId);
    if (!revoked) throw new NotFound('active key', id);
    this.auth.forget(id);
  }
}
