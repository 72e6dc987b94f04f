import { Injectable } from '@nestjs/common';

import { Database } from '../../database/database.js';
import type { Statement } from '../../database/session.js';
import type { NewKeyRow } from '../keys/keys.repository.js';
import type { Account } from './account.dto.js';

const ANY: Statement = {
  name: 'account-any',
  text: 'SELECT id FROM account LIMIT 1',
};

const GET_OR_CREATE: Statement = {
  name: 'account-get-or-create',
  text: `WITH found AS (SELECT id FROM account WHERE name = $1),
         made AS (
           INSERT INTO account (name) SELECT $1 WHERE NOT EXISTS (SELECT FROM found)
           ON CONFLICT ON CONSTRAINT account_name_key DO UPDATE SET name = excluded.name
           RETURNING id)
         SELECT id FROM found UNION ALL SELECT id FROM made`,
};

const INSERT: Statement = {
  name: 'account-insert',
  text: `WITH made AS (INSERT INTO account (name) VALUES ($1) RETURNING id, name, created_at),
         first_key AS (INSERT INTO api_key (account_id, label, hash, start) SELECT id, $2, $3, $4 FROM made)
         SELECT id, name, created_at AS "createdAt" FROM made`,
};

const GET: Statement = {
  name: 'account-get',
  text: 'SELECT id, name, created_at AS "createdAt" FROM account WHERE id = $1',
};

/** Reads and writes accounts. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there is an account. */
  async hasAny(): Promise<boolean> {
    return (await this.database.query(ANY, [])).length > 0;
  }

  /** Returns the id of the account with this name. Creates the account if it does not exist. */
  async getOrCreate(name: string): Promise<bigint> {
    const { id } = await this.database.queryOne<{ id: bigint }>(GET_OR_CREATE, [name]);
    return id;
  }

  get(id: bigint): Promise<Account> {
    return this.database.queryOne<Account>(GET, [id]);
  }

  /** Inserts an account and its first key. The name must be unique. */
  insert(name: string, { label, hash, start }: NewKeyRow): Promise<Account> {
    return this.database.queryOne<Account>(INSERT, [name, label, hash, start]);
  }
}
