import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import type { Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { insertMessagesByWorker } from './citus-messages.js';
import { MESSAGE_COLUMNS, type MessageOfAccount, valuesOf } from './message.entity.js';

const INSERT: Statement = {
  name: 'message-insert',
  text: `INSERT INTO message (${MESSAGE_COLUMNS}) VALUES ($1, $2, $3, $4, $5)`,
};

const INSERT_MANY: Statement = {
  name: 'messages-insert',
  text: `INSERT INTO message (${MESSAGE_COLUMNS})
         SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[])`,
};

/** Stores messages. Concurrent inserts are batched into one statement. */
@Injectable()
export class MessagesRepository {
  private readonly inserts = new Batch(
    'message-insert',
    (messages: MessageOfAccount[]) => this.insertTogether(messages),
    { charactersOf: ({ message }) => message.length },
  );

  constructor(private readonly database: Database) {}

  /** @param transaction the transaction that adds the message. Default: one of its own */
  async insert(message: MessageOfAccount, transaction?: Transaction): Promise<void> {
    if (transaction) await transaction.query(INSERT, valuesOf(message));
    else await this.inserts.add(message);
  }

  private async insertTogether(messages: MessageOfAccount[]): Promise<(undefined | Promise<undefined>)[]> {
    const { batchSession: session, engine } = this.database;
    if (engine === 'citus') return insertMessagesByWorker(session, messages);
    const [first] = messages;
    if (first && messages.length === 1) await session.query(INSERT, valuesOf(first));
    else await session.query(INSERT_MANY, columnsOf(messages));
    return messages.map(() => undefined);
  }
}

/** Returns the parameters of INSERT_MANY: an array for each column. */
function columnsOf(messages: readonly MessageOfAccount[]): unknown[][] {
  return [
    messages.map(({ id }) => id),
    messages.map(({ accountId }) => accountId),
    messages.map(({ message }) => message),
    messages.map(({ status }) => status),
    messages.map(({ createdAt }) => createdAt.toISOString()),
  ];
}
