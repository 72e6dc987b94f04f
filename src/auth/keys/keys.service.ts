import { Injectable } from '@nestjs/common';

import { AccountsService } from '../accounts/accounts.service.js';
import { KeyNotFound, KeysManagedElsewhere, TooManyKeys } from '../auth.errors.js';
import { MAX_KEYS } from '../../limits.js';
import { AuthService } from '../auth.service.js';
import { createKey, FIRST_KEY_LABEL } from './api-key.js';
import type { CreatedKey, Key } from './key.dto.js';
import { type KeyOfAccount, KeysRepository } from './keys.repository.js';

/** Creates, lists and revokes the keys of accounts. */
@Injectable()
export class KeysService {
  constructor(
    private readonly keys: KeysRepository,
    private readonly accounts: AccountsService,
    private readonly auth: AuthService,
  ) {}

  /**
   * Creates a key for an account.
   *
   * @throws KeysManagedElsewhere, TooManyKeys
   */
  async create(accountId: bigint, label: string): Promise<CreatedKey> {
    if (!this.auth.issuesKeys) throw new KeysManagedElsewhere();
    const { key, ...stored } = createKey();
    const inserted = await this.keys.insert(accountId, { label, ...stored }, MAX_KEYS);
    if (!inserted) throw new TooManyKeys(MAX_KEYS);
    return Object.assign(inserted, { key });
  }

  /**
   * Creates a key for the account with this name. Creates the account if it does not exist.
   *
   * @throws KeysManagedElsewhere, TooManyKeys
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
    return this.keys.list();
  }

  /** Lists the active keys of an account. */
  listOf(accountId: bigint): Promise<Key[]> {
    return this.keys.listOf(accountId);
  }

  /**
   * Revokes a key, of the account if one is given.
   *
   * @throws KeyNotFound when there is no such active key
   */
  async revoke(id: bigint, accountId?: bigint): Promise<void> {
    const revoked = await this.keys.revoke(id, accountId);
    if (!revoked) throw new KeyNotFound(id);
    this.auth.forget(id);
  }
}
