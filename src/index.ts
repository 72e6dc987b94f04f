/**
 * The pet store as a package, for teams that build their own service: the modules, the replaceable parts, and the
 * building blocks of further features.
 *
 * @packageDocumentation
 * @module petstore
 */

// The application.
export { createApp, serve } from './create-app.js';
export { PetstoreModule, type PetstoreOptions } from './petstore.module.js';
export { type Config, CONFIG, readConfig, readEnvironment } from './config/config.js';
export { ConfigError, OperatorError } from './config/config.errors.js';
export type { ServiceName } from './program.js';
export { exitWith } from './commands/exit-with-error.js';
export { petstoreCommand } from './commands/petstore.command.js';
export { withServices } from './commands/with-services.js';
export { ReadinessIndicator } from './health/health.service.js';

// The features and their replaceable parts.
export { AuthModule, type AuthOptions } from './auth/auth.module.js';
export { Authenticator } from './auth/callers/authenticator.js';
export { KeyVerifier } from './auth/callers/key-verifier.js';
export { ApiKeyVerifier } from './auth/keys/api-key-verifier.js';
export * from './messages/delivery/message-delivery.js';
export { MessagesController } from './messages/messages.controller.js';
export { MessagesModule, type MessagesOptions } from './messages/messages.module.js';
export { CitusPetsRepository } from './pets/citus-pets.repository.js';
export { PetsController } from './pets/pets.controller.js';
export { PetsModule, type PetsOptions } from './pets/pets.module.js';
export { type Batches, PetsRepository } from './pets/pets.repository.js';
export { StoreController } from './store/store.controller.js';
export { StoreModule, type StoreOptions } from './store/store.module.js';
export { CitusStoreRepository, StoreRepository } from './store/store.repository.js';

// The services of the features, for other features.
export { AccountEntity } from './auth/accounts/account.entity.js';
export { AccountsRepository } from './auth/accounts/accounts.repository.js';
export { MessagesService } from './messages/messages.service.js';
export type { ParkedMessage } from './messages/messages.repository.js';
export * from './messages/message.dto.js';
export { MessageEntity, MessageStatus } from './messages/message.entity.js';
export * from './pets/pet.dto.js';
export { PetEntity } from './pets/pet.entity.js';
export { PetsService } from './pets/pets.service.js';
export * from './store/order.dto.js';
export { OrderEntity } from './store/order.entity.js';
export { StoreService } from './store/store.service.js';

// The building blocks of operations.
export {
  type AuthenticatedRequest,
  type Caller,
  CurrentCaller,
  Public,
} from './auth/callers/caller.decorator.js';
export {
  EnumField,
  type FieldOptions,
  Int64Field,
  NameField,
  OpenEnumField,
  TextField,
} from './http/validation/field.decorators.js';
export { Int64Param } from './http/validation/int64-param.decorator.js';
export { IdempotencyModule } from './idempotency/idempotency.module.js';
export { IdempotencyService } from './idempotency/idempotency.service.js';
export { Idempotent, IdempotentRequest, REPLAYED } from './idempotency/idempotent.decorator.js';
export { Page, sendPage } from './pagination/page.js';
export { INVALID_LIMIT, PageQuery } from './pagination/page-query.dto.js';
export { ApiListResponse, ApiPageResponse } from './openapi/decorators/api-responses.decorator.js';
export { ApiErrors, ApiPublicErrors } from './openapi/decorators/api-errors.decorator.js';
export { InheritOperation } from './openapi/decorators/inherit-operation.decorator.js';
export { Deprecated, type Deprecation } from './openapi/decorators/deprecated.decorator.js';
export { Stability, type StabilityLevel } from './openapi/decorators/stability.decorator.js';

// The parts of services and repositories.
export { Database } from './database/database.js';
export type { MigrationClass } from './database/migrate/migrate.js';
export { Replicas } from './database/replicas.js';
export type { Session, Statement } from './database/session.js';
export { bigintTransformer, type Table } from './database/table.js';
export type { Transaction } from './database/transaction.js';

export { stringifyJson } from './domain/json.js';

// Errors.
export * from './domain/errors.js';
export { ErrorBody } from './http/errors/error.dto.js';
export { ErrorFilter } from './http/errors/error.filter.js';
export { BODY_ERRORS } from './http/errors/http-errors.js';
export { ErrorResponse, toErrorResponse } from './http/errors/error-response.js';
