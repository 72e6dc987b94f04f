import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { DeliveriesRepository } from './delivery/deliveries.repository.js';
import { DELIVERY_SETTINGS, type DeliverySettings, DeliveryWorker } from './delivery/delivery.worker.js';
import { type DeliveryOptions, MessageDelivery } from './delivery/message-delivery.js';
import { MessageEntity } from './message.entity.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';

/** What is done about a message where nothing else is wanted: twelve attempts, in the course of a day. */
const DEFAULTS: DeliverySettings = { concurrency: 16, timeoutMs: 30_000, attempts: 12, retryAfterMs: 5000 };

/** The messages. They are queued, and stay so until they are delivered. */
@Module({
  imports: [TypeOrmModule.forFeature([MessageEntity]), IdempotencyModule],
  controllers: [MessagesController],
  providers: [MessagesService, MessagesRepository, DeliveriesRepository],
  exports: [MessagesService],
})
export class MessagesModule {
  /** The messages, which are delivered. */
  static register({ deliver, ...settings }: DeliveryOptions): DynamicModule {
    return {
      module: MessagesModule,
      providers: [
        { provide: MessageDelivery, useClass: deliver },
        { provide: DELIVERY_SETTINGS, useValue: { ...DEFAULTS, ...settings } },
        DeliveryWorker,
      ],
    };
  }
}
