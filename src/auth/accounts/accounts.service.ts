import { randomBytes } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { createKey, FIRST_KEY_LABEL } from '../keys/api-key.js';
import type { CreatedAccount } from './account.dto.js';
import { type AccountEntity, toAccount } from './account.entity.js';
import { AccountsRepository } from './accounts.repository.js';

/** Finds and creates accounts. */
@Injectable()
export class AccountsService {
  /** @internal */
  constructor(private readonly accounts: AccountsRepository) {}

  /** Returns the account with this name. Creates it if it does not exist. */
  getOrCreate(name: string): Promise<AccountEntity> {
    return this.accounts.getOrCreate(name);
  }

  /** @internal */
  hasAny(): Promise<boolean> {
    return this.accounts.hasAny();
  }

  /**
   * Creates an account for a visitor, and its first key. A random suffix makes the name unique, so that visitors can
   * neither find out which names exist nor get a key of an existing account.
   *
   * @internal
   */
  async signUp(name: string): Promise<CreatedAccount> {
    const { key, ...stored } = createKey();
    const uniqueName = `${name}-${randomBytes(4).toString('hex')}`;
    const account = await this.accounts.insert(uniqueName, { label: FIRST_KEY_LABEL, ...stored });
    return { account: toAccount(account), key };
  }
}
