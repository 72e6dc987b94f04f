import { Injectable } from '@nestjs/common';
import { V7Generator } from 'uuidv7';

import type { Transaction } from '../database/transaction.js';
import { NotFound } from '../domain/errors.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import type { Message, NewMessage } from './message.dto.js';
import { MessageStatus } from './message.entity.js';
import { MessagesRepository, type ParkedMessage } from './messages.repository.js';

const RUN_LIMIT = 1000;

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

  /** Lists up to `limit` parked messages of all accounts, the oldest first, after the one with the id. */
  listParked(limit: number, after?: string): Promise<ParkedMessage[]> {
    return this.messages.listParked(limit, after);
  }

  /**
   * Makes the message with the id due, or all messages that are parked or wait for another attempt. Returns how many there
   * were.
   *
   * @throws NotFound when the message with the id does not wait, or is due soon
   */
  retry(id?: string): Promise<number> {
    return changeAll('parked or waiting message', id, (limit) =>
      this.messages.retry(limit, this.worker.leaseMs, id),
    );
  }

  /**
   * Deletes the parked message with the id, or all parked messages. Returns how many there were.
   *
   * @throws NotFound
   */
  discardParked(id?: string): Promise<number> {
    return changeAll('parked message', id, (limit) => this.messages.discardParked(limit, id));
  }
}

async function changeAll(
  what: string,
  id: string | undefined,
  change: (limit: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await change(RUN_LIMIT);
    total += count;
    if (total === 0 && id !== undefined) throw new NotFound(what, id);
    if (count < RUN_LIMIT) return total;
  }
}
