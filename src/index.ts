/**
 * The pet store as a package, for teams that compose their own service: the features, their replaceable parts, and the
 * building blocks of further features.
 *
 * @packageDocumentation
 * @module petstore
 */

// The service and its composition.
export { createApp, serve } from './app.setup.js';
export type { Composition } from './composition/composition.js';
export type { DtoReplacement } from './http/validation/dtos.js';
export type { Replacement } from './composition/replaceable.js';
export { type Config, CONFIG, ConfigError, readConfig, readEnvironment } from './config/config.js';
export { OperatorError } from './config/operator-error.js';
export { exitWith } from './commands/exit-with-error.js';
export { petstoreCommand } from './commands/petstore.command.js';
export { withServices } from './commands/with-services.js';
export { ReadinessIndicator } from './health/readiness-indicator.js';

// The features and their replaceable parts.
export { AuthModule } from './auth/auth.module.js';
export { KeyVerifier } from './auth/keys/key-verifier.js';
export { MessageDelivery } from './messages/delivery/message-delivery.js';
export type {
  DeliveryAttempt,
  DeliveryOptions,
  QueuedMessage,
} from './messages/delivery/message-delivery.js';
export { MessagesModule } from './messages/messages.module.js';
export { PetsModule } from './pets/pets.module.js';
export { PetsRepository } from './pets/pets.repository.js';
export { PostgresPetsRepository } from './pets/postgres-pets.repository.js';
export { PostgresStoreRepository } from './store/postgres-store.repository.js';
export { StoreModule } from './store/store.module.js';
export { StoreRepository } from './store/store.repository.js';

// The services of the features, for other features.
export { AccountEntity } from './auth/accounts/account.entity.js';
export { AccountsService } from './auth/accounts/accounts.service.js';
export { MessagesService } from './messages/messages.service.js';
export type { ParkedMessage } from './messages/delivery/deliveries.repository.js';
export * from './messages/message.dto.js';
export { MessageEntity } from './messages/message.entity.js';
export { MessageStatus } from './messages/message-status.js';
export * from './pets/pet.dto.js';
export { PetEntity } from './pets/pet.entity.js';
export { PetNotFound } from './pets/pet.errors.js';
export { PetsService } from './pets/pets.service.js';
export * from './store/order.dto.js';
export { OrderEntity } from './store/order.entity.js';
export { StoreService } from './store/store.service.js';

// The building blocks of operations.
export { type AuthenticatedRequest, type Caller, CurrentCaller } from './auth/caller.decorator.js';
export { Public } from './auth/public.decorator.js';
export * from './http/validation/field.decorators.js';
export { INT64_MAX, INT64_MIN } from './http/validation/int64.js';
export * from './http/validation/list-field.decorator.js';
export { Int64Param } from './http/validation/int64-param.decorator.js';
export { IdempotencyModule } from './idempotency/idempotency.module.js';
export { IdempotencyService } from './idempotency/idempotency.service.js';
export { Idempotent, IdempotentRequest, REPLAYED } from './idempotency/idempotent.decorator.js';
export { Page, type PageRequest } from './pagination/page.js';
export { PageQuery } from './pagination/page-query.dto.js';
export * from './pagination/query-param.decorators.js';
export { linkNextPage } from './pagination/link-next-page.js';
export { ApiListResponse, ApiPageResponse } from './openapi/decorators/api-responses.decorator.js';
export { Deprecated, type Deprecation } from './openapi/decorators/deprecated.decorator.js';
export { ApiErrors, ApiPublicErrors } from './openapi/decorators/api-errors.decorator.js';
export { header } from './openapi/decorators/header.js';
export type { Scopes } from './openapi/scopes.js';
export { Stability, type StabilityLevel } from './openapi/decorators/stability.decorator.js';

// The parts of services and repositories.
export { Batch, type BatchOptions } from './database/batch.js';
export { bigintTransformer } from './database/bigint.transformer.js';
export { Database } from './database/database.js';
export type { Engine } from './database/engine.js';
export type { MigrationClass } from './database/migrate/migrate.js';
export type { QueryOptions } from './database/query-options.js';
export { LimitedSession } from './database/limited-session.js';
export { Replicas } from './database/replicas/replicas.js';
export { Session, type Statement } from './database/session.js';
export { Transaction } from './database/transaction.js';
export type { Batches } from './domain/batches.js';
export { DomainError, InternalError, InvalidRequest, Unavailable } from './domain/domain-error.js';
export * from './domain/error-codes.js';
