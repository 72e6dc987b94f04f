import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';

import type { Message, NewMessage } from './message.dto.js';
import { MessageStatus } from './message-status.js';
import { MessagesRepository } from './messages.repository.js';

/** The rules about messages. */
@Injectable()
export class MessagesService {
  constructor(private readonly messages: MessagesRepository) {}

  /** Accepts a message for delivery. */
  async queue(accountId: bigint, { message }: NewMessage): Promise<Message> {
    const queued = { id: uuidv7(), message, status: MessageStatus.Queued, createdAt: new Date() };
    await this.messages.insert({ ...queued, accountId });
    return queued;
  }
}
