import { Injectable } from '@nestjs/common';

import { Database, type Statement } from '../database/database.js';
import type { Message } from './message.dto.js';

const INSERT: Statement = {
  name: 'message-insert',
  text: `INSERT INTO message (id, account_id, message, status, created_at) VALUES ($1, $2, $3, $4, $5)`,
};

/** The messages in the database. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  async insert(accountId: bigint, { id, message, status, createdAt }: Message): Promise<void> {
    await this.database.query(INSERT, [id, accountId, message, status, createdAt]);
  }
}
