import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { OrderEntity } from './order.entity.js';
import { StoreController } from './store.controller.js';
import { StoreRepository } from './store.repository.js';
import { PostgresStoreRepository } from './postgres-store.repository.js';
import { StoreService } from './store.service.js';

/** The orders. */
@Module({
  imports: [TypeOrmModule.forFeature([OrderEntity]), IdempotencyModule],
  controllers: [StoreController],
  providers: [
    StoreService,
    PostgresStoreRepository,
    { provide: StoreRepository, useExisting: PostgresStoreRepository },
  ],
  exports: [StoreService],
})
export class StoreModule {
  /**
   * The orders, kept in another way.
   *
   * @param repository what keeps them; it may use {@link PostgresStoreRepository}, which keeps them in their table
   */
  static register({ repository }: { repository: Type<StoreRepository> }): DynamicModule {
    return { module: StoreModule, providers: [{ provide: StoreRepository, useClass: repository }] };
  }
}
