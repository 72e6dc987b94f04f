import { Injectable } from '@nestjs/common';

import type { Distribution } from '../database/citus/distribute.js';
import type { Session } from '../database/session.js';
import { type MessageOfAccount, MessagesRepository } from './messages.repository.js';

export const MESSAGE_DISTRIBUTION: Distribution = { table: 'message', column: 'id', hasAccount: true };

/** Stores messages on Citus. Each request sends its own statement, which Citus routes to the worker of the row. */
@Injectable()
export class CitusMessagesRepository extends MessagesRepository {
  protected override insertOne(message: MessageOfAccount): Promise<unknown> {
    return this.insertAll(this.database, [message]);
  }

  protected override insertAll(session: Session, messages: readonly MessageOfAccount[]): Promise<unknown[]> {
    const { text, values } = this.table.insertValues(messages);
    return session.query({ name: 'message-insert', text }, values);
  }
}
