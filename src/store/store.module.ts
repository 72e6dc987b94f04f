import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { replaceable } from '../composition/replaceable.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { OrderEntity } from './order.entity.js';
import { PostgresStoreRepository } from './postgres-store.repository.js';
import { StoreController } from './store.controller.js';
import { StoreRepository } from './store.repository.js';
import { StoreService } from './store.service.js';

/** Orders. */
@Module({
  imports: [TypeOrmModule.forFeature([OrderEntity]), IdempotencyModule],
  controllers: [StoreController],
  providers: [
    ...replaceable(StoreService),
    PostgresStoreRepository,
    ...replaceable(StoreRepository, PostgresStoreRepository),
  ],
  exports: [StoreService],
})
export class StoreModule {}
