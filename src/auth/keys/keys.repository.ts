import { Injectable } from '@nestjs/common';

import { Batch } from '../../database/batch.js';
import { Database } from '../../database/database.js';
import { ExpiredRows } from '../../database/expired-rows.js';
import type { Statement } from '../../database/session.js';
import { ACCOUNT_COLUMNS, type AccountEntity } from '../accounts/account.entity.js';
import type { Caller } from '../caller.decorator.js';
import type { Key } from './key.dto.js';

const FIND_CALLERS: Statement = {
  name: 'key-find-callers',
  text: `SELECT api_key.hash, api_key.id AS "keyId", ${ACCOUNT_COLUMNS}
         FROM api_key JOIN account ON account.id = api_key.account_id
         WHERE api_key.hash = ANY ($1::bytea[]) AND api_key.revoked_at IS NULL`,
};

// Updates a row at most once a minute. SKIP LOCKED skips rows that another replica is updating.
const MARK_USED: Statement = {
  name: 'key-mark-used',
  text: `UPDATE api_key SET last_used_at = now() WHERE id = ANY (ARRAY(
           SELECT id FROM api_key
           WHERE id = ANY ($1::bigint[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
           FOR UPDATE SKIP LOCKED))`,
};

// Labels from before their length was limited can be longer.
const KEY_COLUMNS = `
  api_key.id, left(api_key.label, 64) AS label, api_key.start, api_key.created_at AS "createdAt",
  api_key.last_used_at AS "lastUsedAt"`;

const LOCK_ACCOUNT: Statement = {
  name: 'account-lock',
  text: 'SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE',
};

const INSERT: Statement = {
  name: 'key-insert',
  text: `INSERT INTO api_key (account_id, label, hash, start)
         SELECT $1::bigint, $2::text, $3::bytea, $4::text
         WHERE (SELECT count(*) FROM api_key WHERE account_id = $1 AND revoked_at IS NULL) < $5
         RETURNING ${KEY_COLUMNS}`,
};

const LIST: Statement = {
  name: 'key-list',
  text: `SELECT account.name AS account, ${KEY_COLUMNS}, api_key.revoked_at AS "revokedAt"
         FROM api_key JOIN account ON account.id = api_key.account_id
         ORDER BY api_key.id`,
};

const LIST_OF_ACCOUNT: Statement = {
  name: 'key-list-of-account',
  text: `SELECT ${KEY_COLUMNS} FROM api_key WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id`,
};

const REVOKE: Statement = {
  name: 'key-revoke',
  text: `UPDATE api_key SET revoked_at = now()
         WHERE id = $1 AND ($2::bigint IS NULL OR account_id = $2) AND revoked_at IS NULL
         RETURNING id`,
};

const REMOVE_REVOKED: Statement = {
  name: 'key-remove-revoked',
  text: `DELETE FROM api_key WHERE id = ANY (ARRAY(
           SELECT id FROM api_key WHERE revoked_at < now() - interval '90 days' ORDER BY revoked_at LIMIT $1))
         RETURNING 1`,
};

/** A key to insert. */
export interface NewKeyRow {
  readonly label: string;
  readonly hash: Buffer;
  /** The first characters of the key. */
  readonly start: string;
}

/** An active or revoked key, with the name of its account. */
export interface KeyOfAccount extends Key {
  readonly account: string;
  readonly revokedAt: Date | null;
}

/** A row of FIND_CALLERS. */
type CallerRow = AccountEntity & { hash: Buffer; keyId: bigint };

/** Reads and writes keys. */
@Injectable()
export class KeysRepository {
  private readonly callers = new Batch('key-verify', (hashes: Buffer[]) => this.findCallers(hashes));

  constructor(
    private readonly database: Database,
    expiredRows: ExpiredRows,
  ) {
    expiredRows.add(REMOVE_REVOKED);
  }

  /** Returns the caller of the active key with this hash, and updates when the key was last used. */
  findCaller(hash: Buffer): Promise<Caller | undefined> {
    return this.callers.add(hash);
  }

  private async findCallers(hashes: Buffer[]): Promise<(Caller | undefined)[]> {
    const { batchSession: session } = this.database;
    const rows = await session.query<CallerRow>(FIND_CALLERS, [hashes]);
    if (rows.length > 0) await session.query(MARK_USED, [rows.map(({ keyId }) => keyId)]);
    const callers = new Map(
      rows.map(({ hash, keyId, ...account }) => [hash.toString('hex'), { account, keyId }]),
    );
    return hashes.map((hash) => callers.get(hash.toString('hex')));
  }

  /** Inserts a key. Returns undefined if the account has `maxKeys` active keys. */
  insert(accountId: bigint, { label, hash, start }: NewKeyRow, maxKeys: number): Promise<Key | undefined> {
    return this.database.transaction(async (transaction) => {
      // The lock serializes the inserts of an account, so that each of them counts the keys of the previous one.
      await transaction.query(LOCK_ACCOUNT, [accountId]);
      const [key] = await transaction.query<Key>(INSERT, [accountId, label, hash, start, maxKeys]);
      return key;
    });
  }

  /** Lists the keys of all accounts in the order of their ids, including revoked keys. */
  list(): Promise<KeyOfAccount[]> {
    return this.database.query(LIST, []);
  }

  /** Lists the active keys of an account. */
  listOf(accountId: bigint): Promise<Key[]> {
    return this.database.query(LIST_OF_ACCOUNT, [accountId]);
  }

  /** Revokes a key, of the account if one is given. Returns false if there is no such active key. */
  async revoke(id: bigint, accountId?: bigint): Promise<boolean> {
    return (await this.database.query(REVOKE, [id, accountId])).length > 0;
  }
}
