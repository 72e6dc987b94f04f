import { type DynamicModule, Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { repositoryOf } from '../database/engine.js';
import { replaceModule } from '../feature-module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { OrderEntity } from './order.entity.js';
import { StoreController } from './store.controller.js';
import { CitusStoreRepository, StoreRepository } from './store.repository.js';
import { StoreService } from './store.service.js';

export interface StoreOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly controller?: Type<StoreController>;
  readonly service?: Type<StoreService>;
  readonly repository?: Type<StoreRepository>;
}

function metadataOf({
  controller = StoreController,
  service = StoreService,
  repository,
  imports = [],
}: StoreOptions): ModuleMetadata {
  return {
    imports: [TypeOrmModule.forFeature([OrderEntity]), IdempotencyModule, ...imports],
    controllers: [controller],
    providers: [
      { provide: StoreService, useClass: service },
      repository
        ? { provide: StoreRepository, useClass: repository }
        : repositoryOf(StoreRepository, CitusStoreRepository),
    ],
    exports: [StoreService],
  };
}

/** Orders. All modules can inject the `StoreService`. */
@Global()
@Module(metadataOf({}))
export class StoreModule {
  static register(options: StoreOptions): DynamicModule {
    return replaceModule(StoreModule, metadataOf(options));
  }
}
