import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import type { Session, Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import type { Message } from './message.dto.js';

const INSERT: Statement = {
  name: 'message-insert',
  text: `INSERT INTO message (id, account_id, message, status, created_at) VALUES ($1, $2, $3, $4, $5)`,
};

const INSERT_MANY: Statement = {
  name: 'messages-insert',
  text: `INSERT INTO message (id, account_id, message, status, created_at)
         SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[])`,
};

/** A message with the id of its account. */
export type MessageOfAccount = Message & { readonly accountId: bigint };

/** Stores messages. Concurrent inserts are batched into one statement. */
@Injectable()
export class MessagesRepository {
  private readonly inserts = new Batch(
    'message-insert',
    (messages: MessageOfAccount[]) => this.insertAll(messages),
    { charactersOf: ({ message }) => message.length },
  );

  constructor(private readonly database: Database) {}

  async insert(message: MessageOfAccount): Promise<void> {
    await this.inserts.add(message);
  }

  async insertWithin(transaction: Transaction, message: MessageOfAccount): Promise<void> {
    await this.insertAll([message], transaction);
  }

  private async insertAll(
    messages: MessageOfAccount[],
    session: Session = this.database.batchSession,
  ): Promise<undefined[]> {
    const columns = [
      messages.map(({ id }) => id),
      messages.map(({ accountId }) => accountId),
      messages.map(({ message }) => message),
      messages.map(({ status }) => status),
      messages.map(({ createdAt }) => createdAt.toISOString()),
    ];
    if (messages.length === 1) await session.query(INSERT, columns.flat());
    else await session.query(INSERT_MANY, columns);
    return messages.map(() => undefined);
  }
}
