import { Injectable } from '@nestjs/common';

import { Database } from '../../database/database.js';
import { namedStatements } from '../../database/session.js';
import type { AccountEntity } from './account.entity.js';

/** The columns of an account, for statements that name its table `account`. */
export const ACCOUNT_COLUMNS = 'account.id, account.name, account.created_at AS "createdAt"';

const SQL = namedStatements({
  'account-any': 'SELECT id FROM account LIMIT 1',

  'account-get-or-create': `WITH found AS (SELECT * FROM account WHERE name = $1),
    made AS (
      INSERT INTO account (name) SELECT $1 WHERE NOT EXISTS (SELECT FROM found)
      ON CONFLICT ON CONSTRAINT account_name_key DO UPDATE SET name = excluded.name
      RETURNING *)
    SELECT ${ACCOUNT_COLUMNS} FROM (SELECT * FROM found UNION ALL SELECT * FROM made) AS account`,
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
  getOrCreate(name: string): Promise<AccountEntity> {
    return this.database.queryOne<AccountEntity>(SQL['account-get-or-create'], [name]);
  }
}
