import { Injectable } from '@nestjs/common';

import { AuthRepository } from '../auth.repository.js';

/** Finds and creates accounts. */
@Injectable()
export class AccountsService {
  /** @internal */
  constructor(private readonly auth: AuthRepository) {}

  /** Returns the id of the account with this name. Creates the account if it does not exist. */
  getOrCreate(name: string): Promise<bigint> {
    return this.auth.getOrCreateAccount(name);
  }
}
