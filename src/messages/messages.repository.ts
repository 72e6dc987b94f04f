import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { Transaction } from '../database/transaction.js';
import { stringifyJson } from '../domain/json.js';
import type { Message } from './message.dto.js';
import { MessageEntity } from './message.entity.js';

/** A message, and the account that sends it. */
export type MessageOfAccount = Message & { readonly accountId: bigint };

/** Stores messages. Concurrent inserts are batched into one statement. */
@Injectable()
export class MessagesRepository {
  protected readonly table: Table<MessageEntity>;
  private readonly inserts: Batch<MessageOfAccount, unknown>;

  constructor(protected readonly database: Database) {
    this.table = database.table(MessageEntity);
    this.inserts = new Batch(
      'message-insert',
      (messages) => this.insertAll(database.batchSession, messages),
      ({ message }) => message.length,
    );
  }

  /** Adds a message. */
  async insert(message: MessageOfAccount, transaction?: Transaction): Promise<void> {
    await (transaction ? this.insertAll(transaction, [message]) : this.insertOne(message));
  }

  protected insertOne(message: MessageOfAccount): Promise<unknown> {
    return this.inserts.add(message);
  }

  protected async insertAll(session: Session, messages: readonly MessageOfAccount[]): Promise<unknown[]> {
    const statement = { name: 'message-insert', text: this.table.insertFromJson() };
    return await session.query(statement, [stringifyJson(messages)]);
  }
}
