import { Injectable } from '@nestjs/common';

import { Batch } from '../../database/batch.js';
import { Database } from '../../database/database.js';
import { ExpiredRows } from '../../database/expired-rows.js';
import { namedStatements } from '../../database/session.js';
import type { Transaction } from '../../database/transaction.js';
import { MAX_REVOKED_KEYS } from '../../limits.js';
import type { AccountEntity } from '../accounts/account.entity.js';
import { ACCOUNT_COLUMNS } from '../accounts/accounts.repository.js';
import type { Caller } from '../callers/caller.decorator.js';
import type { Key } from './key.dto.js';

const KEY_COLUMNS = `
  api_key.id, api_key.label, api_key.start, api_key.created_at AS "createdAt",
  api_key.last_used_at AS "lastUsedAt"`;

const SQL = namedStatements({
  // One statement for both would need all nodes of Citus.
  'account-insert': `INSERT INTO account (name) VALUES ($1) RETURNING ${ACCOUNT_COLUMNS}`,
  'key-insert-first': 'INSERT INTO api_key (account_id, label, hash, start) VALUES ($1, $2, $3, $4)',

  'key-find-callers': `SELECT api_key.hash, api_key.id AS "keyId", ${ACCOUNT_COLUMNS}
    FROM api_key JOIN account ON account.id = api_key.account_id
    WHERE api_key.hash = ANY ($1::bytea[]) AND api_key.revoked_at IS NULL`,

  // Updates a row at most once a minute. SKIP LOCKED skips rows that another replica is updating.
  'key-mark-used': `UPDATE api_key SET last_used_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM api_key
      WHERE id = ANY ($1::bigint[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
      FOR UPDATE SKIP LOCKED))`,

  'account-lock': 'SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE',

  'key-insert': `INSERT INTO api_key (account_id, label, hash, start)
    SELECT $1::bigint, $2::text, $3::bytea, $4::text
    WHERE (SELECT count(*) FROM api_key WHERE account_id = $1 AND revoked_at IS NULL) < $5
    RETURNING ${KEY_COLUMNS}`,

  'key-list': `SELECT account.name AS account, ${KEY_COLUMNS}, api_key.revoked_at AS "revokedAt"
    FROM api_key JOIN account ON account.id = api_key.account_id
    ORDER BY api_key.id`,

  'key-list-of-account': `SELECT ${KEY_COLUMNS} FROM api_key
    WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id`,

  'key-revoke': `UPDATE api_key SET revoked_at = now()
    WHERE id = $1 AND ($2::bigint IS NULL OR account_id = $2) AND revoked_at IS NULL
    RETURNING id`,

  'key-remove-older-revoked': `DELETE FROM api_key WHERE id = ANY (ARRAY(
      SELECT id FROM api_key WHERE account_id = $1 AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC OFFSET ${MAX_REVOKED_KEYS} LIMIT 500))`,

  'key-remove-revoked': `DELETE FROM api_key WHERE id = ANY (ARRAY(
      SELECT id FROM api_key WHERE revoked_at < now() - interval '90 days' ORDER BY revoked_at LIMIT $1))
    RETURNING 1`,
});

/** A new key. Only its hash and its first characters are stored. */
interface NewKeyRow {
  readonly label: string;
  readonly hash: Buffer;
  readonly start: string;
}

export interface KeyOfAccount extends Key {
  readonly account: string;
  readonly revokedAt: Date | null;
}

type CallerRow = AccountEntity & { hash: Buffer; keyId: bigint };

@Injectable()
export class KeysRepository {
  /** A run takes all keys that wait, so that many unknown ones delay no other by more than a run. */
  private readonly callers = new Batch('key-verify', (hashes: Buffer[]) => this.findCallers(hashes), {
    maxItems: Infinity,
  });

  constructor(
    private readonly database: Database,
    expiredRows: ExpiredRows,
  ) {
    expiredRows.add(SQL['key-remove-revoked']);
  }

  /** Returns the caller of the active key with this hash, and updates when the key was last used. */
  findCaller(hash: Buffer): Promise<Caller | undefined> {
    return this.callers.add(hash);
  }

  private async findCallers(hashes: Buffer[]): Promise<(Caller | undefined)[]> {
    const { withoutLimit: session } = this.database;
    const rows = await session.query<CallerRow>(SQL['key-find-callers'], [hashes]);
    if (rows.length > 0) await session.query(SQL['key-mark-used'], [rows.map(({ keyId }) => keyId)]);
    const callers = new Map(
      rows.map(({ hash, keyId, ...account }) => [hash.toString('hex'), { account, keyId }]),
    );
    return hashes.map((hash) => callers.get(hash.toString('hex')));
  }

  /** Inserts an account and its first key. The name must be unique. */
  insertFirst(name: string, { label, hash, start }: NewKeyRow): Promise<AccountEntity> {
    return this.database.transaction(async (transaction) => {
      const account = await transaction.queryOne<AccountEntity>(SQL['account-insert'], [name]);
      await transaction.query(SQL['key-insert-first'], [account.id, label, hash, start]);
      return account;
    });
  }

  /** Inserts a key unless the account has `maxKeys` active ones, and removes older revoked keys of the account. */
  insert(accountId: bigint, { label, hash, start }: NewKeyRow, maxKeys: number): Promise<Key | undefined> {
    const insert = async (transaction: Transaction) => {
      // The lock serializes the inserts of an account, so that each of them counts the keys of the previous one.
      await transaction.query(SQL['account-lock'], [accountId]);
      await transaction.query(SQL['key-remove-older-revoked'], [accountId]);
      const [key] = await transaction.query<Key>(SQL['key-insert'], [accountId, label, hash, start, maxKeys]);
      return key;
    };
    return this.database.transaction(insert, { account: accountId });
  }

  /** Lists the keys of all accounts in the order of their ids, including revoked keys. */
  list(): Promise<KeyOfAccount[]> {
    return this.database.query(SQL['key-list'], []);
  }

  listOf(accountId: bigint): Promise<Key[]> {
    return this.database.query({ ...SQL['key-list-of-account'], account: accountId }, [accountId]);
  }

  /** Revokes a key, of the account if one is given. Returns false if there is no such active key. */
  async revoke(id: bigint, accountId?: bigint): Promise<boolean> {
    const statement = { ...SQL['key-revoke'], account: accountId };
    return (await this.database.query(statement, [id, accountId])).length > 0;
  }
}
