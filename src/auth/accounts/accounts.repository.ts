import { Injectable } from '@nestjs/common';

import { Database } from '../../database/database.js';
import { namedStatements } from '../../database/session.js';
import type { AccountEntity } from './account.entity.js';

/** The columns of an account, for statements that name its table `account`. */
export const ACCOUNT_COLUMNS = 'account.id, account.name, account.created_at AS "createdAt"';

const SQL = namedStatements({
  'account-any': 'SELECT id FROM account LIMIT 1',

  'account-get': `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE name = $1`,

  // Another process may have created it meanwhile.
  'account-create': `INSERT INTO account (name) VALUES ($1)
    ON CONFLICT ON CONSTRAINT account_name_key DO UPDATE SET name = excluded.name
    RETURNING ${ACCOUNT_COLUMNS}`,
});

/** Finds and creates accounts. A team's `KeyVerifier` may need it, so it needs none itself. */
@Injectable()
export class AccountsRepository {
  /** @internal */
  constructor(private readonly database: Database) {}

  async hasAny(): Promise<boolean> {
    return (await this.database.query(SQL['account-any'], [])).length > 0;
  }

  /** Returns the account with this name. Creates it if it does not exist. */
  async getOrCreate(name: string): Promise<AccountEntity> {
    const [account] = await this.database.query<AccountEntity>(SQL['account-get'], [name]);
    return account ?? this.database.queryOne<AccountEntity>(SQL['account-create'], [name]);
  }
}
