import { type DynamicModule, Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { type Scopes, withScopes } from '../auth/require-scope.decorator.js';
import { CONFIG } from '../config/config.js';
import { repositoryOf } from '../database/engine.js';
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

/** The delivery of messages, replacements for the parts of the module, and the scopes that its operations require. */
export interface MessagesOptions extends DeliveryOptions {
  readonly controller?: Type<MessagesController>;
  readonly service?: Type<MessagesService>;
  readonly scopes?: Scopes;
}

@Module({})
class RegisteredMessagesModule {}

function metadataOf({
  controller = MessagesController,
  service = MessagesService,
  scopes = {},
  deliver,
  ...options
}: MessagesOptions) {
  return {
    imports: [TypeOrmModule.forFeature([MessageEntity]), IdempotencyModule],
    controllers: [withScopes(controller, scopes)],
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
  } satisfies ModuleMetadata;
}

/** Messages. All modules can inject the `MessagesService`. */
@Global()
@Module(metadataOf({}))
export class MessagesModule {
  /** Returns the module with a delivery or with replaced parts. */
  static register(options: MessagesOptions): DynamicModule {
    // Nest would add the parts of this class to those of the options.
    return { module: RegisteredMessagesModule, global: true, ...metadataOf(options) };
  }
}
