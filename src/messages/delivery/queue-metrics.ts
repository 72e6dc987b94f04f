import { setImmediate } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { Gauge, Registry } from 'prom-client';

import { type MessageCount, MessagesRepository } from '../messages.repository.js';

/** Measures the queue when the metrics are read. */
@Injectable()
export class QueueMetrics {
  private counting: Promise<MessageCount[]> | undefined;

  constructor(
    registry: Registry,
    private readonly messages: MessagesRepository,
    private readonly logger: PinoLogger,
  ) {
    const measure = (name: string, help: string, valueOf: (messages: MessageCount) => number) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: ['state'],
        registers: [registry],
        collect: async () => {
          gauge.reset();
          for (const messages of await this.count()) gauge.set({ state: messages.state }, valueOf(messages));
        },
      });
    };
    measure(
      'petstore_messages',
      'Messages that are not delivered, by state: waiting or parked. At most 100,000 of each are counted.',
      ({ count }) => count,
    );
    measure(
      'petstore_message_oldest_age_seconds',
      'The time since the oldest message that is not delivered was queued, by state: waiting or parked.',
      ({ oldest }) => (oldest ? Math.max(0, Date.now() - oldest.getTime()) / 1000 : 0),
    );
  }

  /** Counts once for both metrics, which are collected at the same time. */
  private count(): Promise<MessageCount[]> {
    // The other metrics are collected first, so that the connection of this statement is not counted.
    this.counting ??= setImmediate()
      .then(() => this.messages.count())
      .catch((error: unknown) => {
        // The other metrics are served without a database, too.
        this.logger.warn({ err: error }, 'The queue of messages cannot be measured');
        return [];
      })
      .finally(() => (this.counting = undefined));
    return this.counting;
  }
}
