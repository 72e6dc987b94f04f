import { setTimeout as sleep } from 'node:timers/promises';

import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { inSpan } from '../../observability/traces/span.js';
import { DeliveriesRepository, type LeasedMessage } from './deliveries.repository.js';
import { retryAfter, textOf } from './delivery-failure.js';
import { noteDelivery } from './delivery.diagnostics.js';
import { MessageDelivery } from './message-delivery.js';
import { withinTime } from './within-time.js';

/** How often the queue is looked at for what other processes have put there, or let go of. */
const INTERVAL_MS = 1000;

/** How much longer than an attempt its lease is: time to write down what came of it. */
const MARGIN_MS = 10_000;

/** Injection token of the {@link DeliverySettings}. */
export const DELIVERY_SETTINGS = Symbol('DeliverySettings');

export interface DeliverySettings {
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly retryAfterMs: number;
}

/**
 * Delivers the messages that are due, the oldest first, several at a time. Any number of processes share
 * the work: who takes a message has a lease on it, and when the process ends, the lease does, too.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** What is being delivered, and what aborts it. */
  private readonly running = new Map<Promise<void>, AbortController>();
  private looking: Promise<void> = Promise.resolve();
  private isStopping = false;
  private isCut = false;
  private isAway = false;
  private isWoken = false;
  private resume: () => void = () => undefined;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    @Inject(MessageDelivery) private readonly delivery: MessageDelivery | undefined,
    @Inject(DELIVERY_SETTINGS) private readonly settings: DeliverySettings,
    @Inject(CONFIG) private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
    private readonly logger: PinoLogger,
  ) {}

  onApplicationBootstrap(): void {
    // A command delivers nothing.
    const isService = (this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | null) !== null;
    if (this.delivery && isService) this.looking = this.look(this.delivery);
  }

  /** Has the queue looked at now, as there is something in it. */
  wake(): void {
    this.isWoken = true;
    this.resume();
  }

  /** Takes no more, and lets what is being delivered end. What takes half of the time to stop is given back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.wake();
    const timer = setTimeout(() => this.cut(), this.config.shutdownTimeoutMs / 2);
    await this.looking;
    await Promise.all(this.running.keys());
    clearTimeout(timer);
  }

  private cut(): void {
    this.isCut = true;
    for (const attempt of this.running.values()) attempt.abort();
  }

  private async look(delivery: MessageDelivery): Promise<void> {
    const { concurrency } = this.settings;
    while (!this.isStopping) {
      this.isWoken = false;
      const free = concurrency - this.running.size;
      const messages = await this.take(free);
      for (const message of messages) this.start(message, delivery);
      if (messages.length < free || free === 0) await this.rest();
    }
  }

  /** Until there may be something to take. */
  private async rest(): Promise<void> {
    if (this.isWoken) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resume) => {
      this.resume = resume;
      timer = setTimeout(resume, INTERVAL_MS).unref();
    });
    clearTimeout(timer);
  }

  private async take(limit: number): Promise<LeasedMessage[]> {
    if (limit === 0) return [];
    try {
      const messages = await this.deliveries.take(limit, this.settings.timeoutMs + MARGIN_MS);
      this.isAway = false;
      return messages;
    } catch (error) {
      if (!this.isAway)
        this.logger.error({ err: error }, 'No messages are delivered: the queue cannot be read');
      this.isAway = true;
      return [];
    }
  }

  private start(message: LeasedMessage, delivery: MessageDelivery): void {
    const controller = new AbortController();
    const attempt = this.attempt(message, delivery, controller).catch((error: unknown) => {
      this.logger.warn(
        { err: error, messageId: message.id },
        'What came of a delivery could not be written down',
      );
    });
    this.running.set(attempt, controller);
    void attempt.finally(() => {
      this.running.delete(attempt);
      this.wake();
    });
  }

  private async attempt(
    message: LeasedMessage,
    delivery: MessageDelivery,
    controller: AbortController,
  ): Promise<void> {
    // It was being taken when the stop came.
    if (this.isStopping) return this.deliveries.release(message);
    try {
      await inSpan('deliver message', () => this.deliver(message, delivery, controller));
    } catch (error) {
      await (this.isCut ? this.deliveries.release(message) : this.fail(message, error));
      return;
    }
    await this.writeDown(() => this.deliveries.markDelivered(message));
    noteDelivery('delivered');
  }

  /** Delivers within the time that there is, or throws. */
  private async deliver(
    message: LeasedMessage,
    delivery: MessageDelivery,
    controller: AbortController,
  ): Promise<void> {
    const { timeoutMs, attempts } = this.settings;
    if (message.attempts > attempts) throw new Error('the process ended during the last attempt');
    const { signal } = controller;
    await withinTime(timeoutMs, controller, () =>
      delivery.deliver(message, { number: message.attempts, signal }),
    );
  }

  private async fail(message: LeasedMessage, error: unknown): Promise<void> {
    const { id, attempts } = message;
    const isLast = attempts >= this.settings.attempts;
    const retryAfterMs = isLast ? undefined : retryAfter(attempts, this.settings.retryAfterMs);
    const failure = { message, error: textOf(error), retryAfterMs };
    await this.writeDown(() => this.deliveries.markFailed(failure));
    noteDelivery(isLast ? 'parked' : 'failed');
    const told = { err: error, messageId: id, attempt: attempts };
    if (isLast) this.logger.error(told, 'A message is parked');
    else this.logger.warn(told, 'A message was not delivered, and is tried again');
  }

  /** Writes down what came of an attempt, which would be repeated otherwise, as soon as the database can be reached. */
  private async writeDown(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (this.isCut || !isDatabaseUnavailable(error)) throw error;
        await sleep(INTERVAL_MS);
      }
    }
  }
}
