import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { replaceable } from '../composition/replaceable.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { DeliveriesRepository } from './delivery/deliveries.repository.js';
import { DELIVERY_SETTINGS, type DeliverySettings, DeliveryWorker } from './delivery/delivery.worker.js';
import { type DeliveryOptions, MessageDelivery } from './delivery/message-delivery.js';
import { MessageEntity } from './message.entity.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<DeliveryOptions>()
  .setClassMethodName('register')
  .build();

const OPTIONS = { token: MODULE_OPTIONS_TOKEN, optional: true };

/** Messages. They stay in the queue unless `register` or `registerAsync` configures a delivery. */
@Module({
  imports: [TypeOrmModule.forFeature([MessageEntity]), IdempotencyModule],
  controllers: [MessagesController],
  providers: [
    ...replaceable(MessagesService),
    MessagesRepository,
    DeliveriesRepository,
    DeliveryWorker,
    {
      provide: MessageDelivery,
      inject: [ModuleRef, OPTIONS],
      useFactory: (moduleRef: ModuleRef, options?: DeliveryOptions) =>
        options && moduleRef.create(options.deliver),
    },
    {
      provide: DELIVERY_SETTINGS,
      inject: [OPTIONS],
      useFactory: (options?: DeliveryOptions): DeliverySettings => settingsOf(options ?? {}),
    },
  ],
  exports: [MessagesService],
})
export class MessagesModule extends ConfigurableModuleClass {}

/**
 * Returns the settings with their defaults, which make twelve attempts in the course of a day.
 *
 * @throws Error when a setting is not a number of at least 1
 */
function settingsOf({
  concurrency = 16,
  timeoutMs = 30_000,
  attempts = 12,
  retryAfterMs = 5000,
}: Partial<DeliveryOptions>): DeliverySettings {
  const settings = { concurrency, timeoutMs, attempts, retryAfterMs };
  for (const [name, value] of Object.entries(settings)) {
    if (!(value >= 1))
      throw new Error(`The option ${name} of MessagesModule must be at least 1, not ${value}.`);
  }
  return settings;
}
