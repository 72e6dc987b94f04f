import { Injectable } from '@nestjs/common';

import { AuthRepository } from '../auth.repository.js';

/** The accounts, to which orders, messages and keys belong. */
@Injectable()
export class AccountsService {
  /** @internal */
  constructor(private readonly auth: AuthRepository) {}

  /** The id of the account of that name, which is made when there is none. */
  getOrCreate(name: string): Promise<bigint> {
    return this.auth.getOrCreateAccount(name);
  }
}
