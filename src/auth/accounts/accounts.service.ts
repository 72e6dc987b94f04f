import { Injectable } from '@nestjs/common';

import { AccountsRepository } from '../accounts.repository.js';
import type { AccountEntity } from './account.entity.js';

/** Finds and creates accounts. A team's `KeyVerifier` may need it, so it needs none itself. */
@Injectable()
export class AccountsService {
  /** @internal */
  constructor(private readonly accounts: AccountsRepository) {}

  /** Returns the account with this name. Creates it if it does not exist. */
  getOrCreate(name: string): Promise<AccountEntity> {
    return this.accounts.getOrCreate(name);
  }
}
