import { type DynamicModule, Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { type Scopes, withScopes } from '../auth/require-scope.decorator.js';
import { repositoryOf } from '../database/engine.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { CitusStoreRepository } from './citus-store.repository.js';
import { OrderEntity } from './order.entity.js';
import { StoreController } from './store.controller.js';
import { StoreRepository } from './store.repository.js';
import { StoreService } from './store.service.js';

/** Replacements for the parts of {@link StoreModule}, and the scopes that its operations require. */
export interface StoreOptions {
  readonly controller?: Type<StoreController>;
  readonly service?: Type<StoreService>;
  readonly repository?: Type<StoreRepository>;
  readonly scopes?: Scopes;
}

@Module({})
class RegisteredStoreModule {}

function metadataOf({
  controller = StoreController,
  service = StoreService,
  repository,
  scopes = {},
}: StoreOptions) {
  return {
    imports: [TypeOrmModule.forFeature([OrderEntity]), IdempotencyModule],
    controllers: [withScopes(controller, scopes)],
    providers: [
      { provide: StoreService, useClass: service },
      repository
        ? { provide: StoreRepository, useClass: repository }
        : repositoryOf(StoreRepository, CitusStoreRepository),
    ],
    exports: [StoreService],
  } satisfies ModuleMetadata;
}

/** Orders. All modules can inject the `StoreService`. */
@Global()
@Module(metadataOf({}))
export class StoreModule {
  /** Returns the module with replaced parts. */
  static register(options: StoreOptions): DynamicModule {
    // Nest would add the parts of this class to those of the options.
    return { module: RegisteredStoreModule, global: true, ...metadataOf(options) };
  }
}
