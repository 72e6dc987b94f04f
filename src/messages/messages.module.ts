import { type DynamicModule, Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { CONFIG } from '../config/config.js';
import { repositoryOf } from '../database/engine.js';
import { replaceModule } from '../feature-module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { CitusMessagesRepository } from './citus-messages.repository.js';
import { DELIVERY_OPTIONS, DeliveryWorker } from './delivery/delivery.worker.js';
import { type DeliveryOptions, MessageDelivery } from './delivery/message-delivery.js';
import { QueueMetrics } from './delivery/queue-metrics.js';
import { webhookOf } from './delivery/webhook.delivery.js';
import { MessageEntity } from './message.entity.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';

export interface MessagesOptions extends DeliveryOptions, Pick<ModuleMetadata, 'imports'> {
  readonly controller?: Type<MessagesController>;
  readonly service?: Type<MessagesService>;
}

function metadataOf({
  controller = MessagesController,
  service = MessagesService,
  imports = [],
  deliver,
  ...options
}: MessagesOptions): ModuleMetadata {
  return {
    imports: [TypeOrmModule.forFeature([MessageEntity]), IdempotencyModule, ...imports],
    controllers: [controller],
    providers: [
      { provide: MessagesService, useClass: service },
      repositoryOf(MessagesRepository, CitusMessagesRepository),
      DeliveryWorker,
      deliver
        ? { provide: MessageDelivery, useClass: deliver }
        : { provide: MessageDelivery, inject: [CONFIG], useFactory: webhookOf },
      QueueMetrics,
      { provide: DELIVERY_OPTIONS, useValue: options },
    ],
    exports: [MessagesService],
  };
}

/** Messages. All modules can inject the `MessagesService`. */
@Global()
@Module(metadataOf({}))
export class MessagesModule {
  static register(options: MessagesOptions): DynamicModule {
    return replaceModule(MessagesModule, metadataOf(options));
  }
}
