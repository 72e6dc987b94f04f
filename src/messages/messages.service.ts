import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';

import type { Transaction } from '../database/transaction.js';
import type { Message, NewMessage } from './message.dto.js';
import { MessageStatus } from './message-status.js';
import { MessagesRepository } from './messages.repository.js';

/** The rules about messages. */
@Injectable()
export class MessagesService {
  constructor(private readonly messages: MessagesRepository) {}

  /**
   * Accepts a message for delivery.
   *
   * @param transaction what the message comes with; without one, it comes for itself
   */
  async queue(accountId: bigint, { message }: NewMessage, transaction?: Transaction): Promise<Message> {
    const queued = { id: uuidv7(), message, status: MessageStatus.Queued, createdAt: new Date() };
    const ofAccount = { ...queued, accountId };
    await (transaction
      ? this.messages.insertWithin(transaction, ofAccount)
      : this.messages.insert(ofAccount));
    return queued;
  }
}
