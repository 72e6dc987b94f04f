import { setTimeout as sleep } from 'node:timers/promises';

import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { deliveryAttempts } from '../../metrics.js';
import { type LeasedMessage, MessagesRepository } from '../messages.repository.js';
import { backOff, deliverInTime, describeError } from './attempt.js';
import { type DeliveryOptions, MessageDelivery } from './message-delivery.js';
import { ReceiverState } from './receiver-state.js';

/** The interval at which the worker polls the queue for messages of other processes, and probes a receiver that is away. */
const INTERVAL_MS = 1000;

/** The time between the timeout of an attempt and the end of the lease, in which the outcome is stored. */
const MARGIN_MS = 10_000;

export const DELIVERY_OPTIONS = Symbol('DeliveryOptions');

/**
 * Delivers the messages that are due, the oldest first, several at a time. Any number of processes share the work: a
 * process takes a lease on each message. If the process is killed, the lease expires and another process takes over.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The limits, with their defaults, which make twelve attempts in the course of a day. */
  private readonly settings: Required<Omit<DeliveryOptions, 'deliver'>>;
  private readonly running = new Set<Promise<void>>();
  private readonly aborter = new AbortController();
  private polling: Promise<void> = Promise.resolve();
  private isStopping = false;
  private isQueueUnavailable = false;
  private readonly receiver: ReceiverState;
  private alarm = new AbortController();

  constructor(
    private readonly messages: MessagesRepository,
    @Inject(MessageDelivery) private readonly delivery: MessageDelivery | undefined,
    @Inject(DELIVERY_OPTIONS)
    { concurrency = 16, timeoutMs = 30_000, attempts = 12, retryAfterMs = backOff }: DeliveryOptions,
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: PinoLogger,
  ) {
    for (const [name, value] of Object.entries({ concurrency, timeoutMs, attempts })) {
      if (!(value >= 1))
        throw new Error(`The option ${name} of MessagesModule must be at least 1, not ${value}.`);
    }
    this.settings = { concurrency, timeoutMs, attempts, retryAfterMs };
    this.receiver = new ReceiverState(logger);
  }

  onApplicationBootstrap(): void {
    if (this.delivery) this.polling = this.poll(this.delivery);
    else this.logger.info('Messages wait in the queue: MESSAGE_WEBHOOK_URL is not set');
  }

  /** The time after which another process may take a message that this one delivers. */
  get leaseMs(): number {
    return this.settings.timeoutMs + MARGIN_MS;
  }

  /** Polls the queue at once, because it has a new message. A receiver that is away is only probed at the interval. */
  wake(): void {
    // Each call of abort() creates an error with its stack.
    if (!this.alarm.signal.aborted && (this.isStopping || !this.receiver.isAway)) this.alarm.abort();
  }

  /**
   * Takes no further messages and waits for the attempts in progress. After half of the shutdown timeout, aborts them
   * and returns their messages to the queue.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.wake();
    const timer = setTimeout(() => this.aborter.abort(), this.config.shutdownTimeoutMs / 2);
    await this.polling;
    await Promise.all(this.running);
    clearTimeout(timer);
  }

  private async poll(delivery: MessageDelivery): Promise<void> {
    const { concurrency } = this.settings;
    while (!this.isStopping) {
      this.alarm = new AbortController();
      const free = (this.receiver.isAway ? 1 : concurrency) - this.running.size;
      const messages = await this.take(free);
      for (const message of messages) this.start(message, delivery);
      if (messages.length === free && free > 0 && !this.receiver.isAway) continue;
      const { signal } = this.alarm;
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async take(limit: number): Promise<LeasedMessage[]> {
    if (limit <= 0) return [];
    try {
      const messages = await this.messages.take(limit, this.leaseMs);
      if (this.isQueueUnavailable) this.logger.info('Deliveries continue');
      this.isQueueUnavailable = false;
      return messages;
    } catch (error) {
      if (!this.isQueueUnavailable)
        this.logger.error({ err: error }, 'Deliveries are paused: the queue cannot be read');
      this.isQueueUnavailable = true;
      return [];
    }
  }

  private start(message: LeasedMessage, delivery: MessageDelivery): void {
    const attempt = this.attempt(message, delivery)
      .catch((error: unknown) => {
        const details = { err: error, messageId: message.id };
        this.logger.warn(details, 'The outcome of a delivery could not be stored, or onParked failed');
      })
      .finally(() => {
        this.running.delete(attempt);
        this.wake();
      });
    this.running.add(attempt);
  }

  private async attempt(message: LeasedMessage, delivery: MessageDelivery): Promise<void> {
    if (message.attempts > this.settings.attempts) {
      return this.fail(message, new Error('the process ended during the last attempt'));
    }
    try {
      await deliverInTime(delivery, message, this.settings.timeoutMs, this.aborter.signal);
    } catch (error) {
      if (this.aborter.signal.aborted) return this.messages.release(message);
      this.receiver.failed(message, error);
      return this.fail(message, error);
    }
    this.receiver.succeeded();
    await this.store(() => this.messages.markDelivered(message));
    deliveryAttempts.inc({ outcome: 'delivered' });
  }

  private async fail(message: LeasedMessage, error: unknown): Promise<void> {
    const { id, attempts } = message;
    const retryAfterMs =
      attempts < this.settings.attempts ? this.settings.retryAfterMs(attempts, error) : 'park';
    const isParked = retryAfterMs === 'park';
    const text = describeError(error);
    const hadLease = await this.store(() => this.messages.markFailed(message, text, retryAfterMs));
    deliveryAttempts.inc({ outcome: isParked ? 'parked' : 'failed' });
    if (!isParked) return;
    this.logger.error(
      { err: error, messageId: id, attempt: attempts },
      'The last attempt to deliver a message failed; the message is parked',
    );
    if (hadLease) await this.delivery?.onParked?.(message, error);
  }

  /**
   * Stores the outcome of an attempt. Retries while the database is unavailable, because a lost outcome causes a
   * duplicate.
   */
  private async store<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (this.aborter.signal.aborted || !isDatabaseUnavailable(error)) throw error;
        await sleep(INTERVAL_MS);
      }
    }
  }
}
