import { Injectable } from '@nestjs/common';
import { V7Generator } from 'uuidv7';

import type { Transaction } from '../database/transaction.js';
import { NotFound } from '../domain/errors.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import type { Message, NewMessage } from './message.dto.js';
import { MessageStatus } from './message.entity.js';
import { type MessageCount, MessagesRepository, type ParkedMessage } from './messages.repository.js';

const RETRY_LIMIT = 1000;

/**
 * The ids of messages: UUIDs of version 7 (RFC 9562). Within a process, later ones are larger, even when the clock is set
 * back.
 */
const ids = new V7Generator();
ids.setRollbackAllowance(2 ** 48 - 1);

/** The rules about messages. */
@Injectable()
export class MessagesService {
  /** @internal */
  constructor(
    private readonly messages: MessagesRepository,
    private readonly worker: DeliveryWorker,
  ) {}

  /** Accepts a message for delivery. */
  async queue(accountId: bigint, { message }: NewMessage, transaction?: Transaction): Promise<Message> {
    const queued = {
      id: ids.generate().toString(),
      message,
      status: MessageStatus.Queued,
      createdAt: new Date(),
    };
    await this.messages.insert({ ...queued, accountId }, transaction);
    if (transaction) transaction.onCommit(() => this.worker.wake());
    else this.worker.wake();
    return queued;
  }

  /** Counts the messages of all accounts that wait, and those that are parked, for the operator. */
  count(): Promise<MessageCount[]> {
    return this.messages.count();
  }

  /** Lists up to `limit` parked messages of all accounts, the oldest first, after the one with the id. */
  listParked(limit: number, after?: string): Promise<ParkedMessage[]> {
    return this.messages.listParked(limit, after);
  }

  /** @throws NotFound when the message is not parked */
  async retryParked(id: string): Promise<void> {
    const count = await this.messages.retryParked(1, id);
    if (count === 0) throw new NotFound('parked message', id);
  }

  /** Queues all parked messages again. Returns how many there were. */
  async retryAllParked(): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await this.messages.retryParked(RETRY_LIMIT);
      total += count;
      if (count < RETRY_LIMIT) return total;
    }
  }
}
