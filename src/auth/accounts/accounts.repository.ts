import { Injectable } from '@nestjs/common';

import type { Distribution } from '../../database/citus/distribute.js';
import { Database } from '../../database/database.js';
import type { Statement } from '../../database/session.js';
import type { NewKeyRow } from '../keys/keys.repository.js';
import { ACCOUNT_COLUMNS, type AccountEntity } from './account.entity.js';

const ANY: Statement = {
  name: 'account-any',
  text: 'SELECT id FROM account LIMIT 1',
};

const GET_OR_CREATE: Statement = {
  name: 'account-get-or-create',
  text: `WITH found AS (SELECT * FROM account WHERE name = $1),
         made AS (
           INSERT INTO account (name) SELECT $1 WHERE NOT EXISTS (SELECT FROM found)
           ON CONFLICT ON CONSTRAINT account_name_key DO UPDATE SET name = excluded.name
           RETURNING *)
         SELECT ${ACCOUNT_COLUMNS} FROM (SELECT * FROM found UNION ALL SELECT * FROM made) AS account`,
};

const INSERT: Statement = {
  name: 'account-insert',
  text: `WITH account AS (INSERT INTO account (name) VALUES ($1) RETURNING *),
         first_key AS (INSERT INTO api_key (account_id, label, hash, start) SELECT id, $2, $3, $4 FROM account)
         SELECT ${ACCOUNT_COLUMNS} FROM account`,
};

export const ACCOUNT_DISTRIBUTION: Distribution = { table: 'account' };

/** Reads and writes accounts. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there is an account. */
  async hasAny(): Promise<boolean> {
    return (await this.database.query(ANY, [])).length > 0;
  }

  /** Returns the account with this name. Creates it if it does not exist. */
  getOrCreate(name: string): Promise<AccountEntity> {
    return this.database.queryOne<AccountEntity>(GET_OR_CREATE, [name]);
  }

  /** Inserts an account and its first key. The name must be unique. */
  insert(name: string, { label, hash, start }: NewKeyRow): Promise<AccountEntity> {
    return this.database.queryOne<AccountEntity>(INSERT, [name, label, hash, start]);
  }
}
