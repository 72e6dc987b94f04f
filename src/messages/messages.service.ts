import { Injectable, Optional } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';

import type { Transaction } from '../database/transaction.js';
import { Traced } from '../tracing/traced.js';
import { DeliveriesRepository, type ParkedMessage } from './deliveries.repository.js';
import { DeliveryWorker } from './delivery.worker.js';
import type { Message, NewMessage } from './message.dto.js';
import { MessageNotParked } from './message.errors.js';
import { MessageStatus } from './message-status.js';
import { MessagesRepository } from './messages.repository.js';

/** The rules about messages. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly deliveries: DeliveriesRepository,
    @Optional() private readonly worker?: DeliveryWorker,
  ) {}

  /**
   * Accepts a message for delivery.
   *
   * @param transaction what the message comes with; without one, it comes for itself
   */
  @Traced()
  async queue(accountId: bigint, { message }: NewMessage, transaction?: Transaction): Promise<Message> {
    const queued = { id: uuidv7(), message, status: MessageStatus.Queued, createdAt: new Date() };
    const ofAccount = { ...queued, accountId };
    if (transaction) {
      await this.messages.insertWithin(transaction, ofAccount);
      transaction.onCommit(() => this.worker?.wake());
    } else {
      await this.messages.insert(ofAccount);
      this.worker?.wake();
    }
    return queued;
  }

  /** The messages of all accounts that are not delivered any more, for the operator. */
  listParked(): Promise<ParkedMessage[]> {
    return this.deliveries.listParked();
  }

  /**
   * Has a parked message delivered after all, or all of them.
   *
   * @returns how many there were
   * @throws MessageNotParked when it is the one that is asked for, and not parked
   */
  async retryParked(id?: string): Promise<number> {
    const count = await this.deliveries.retryParked(id);
    if (id !== undefined && count === 0) throw new MessageNotParked(id);
    return count;
  }
}
