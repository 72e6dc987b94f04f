import type { DynamicModule, Type } from '@nestjs/common';
import type { ConfigFactory } from '@nestjs/config';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DocumentBuilder } from '@nestjs/swagger';

import type { MigrationClass } from '../database/migrate/migrate.js';
import type { OwnErrorCodes } from '../domain/error-codes.js';
import type { DtoReplacement } from '../http/validation/dtos.js';
import type { Scopes } from '../openapi/scopes.js';
import type { Replacement } from './replaceable.js';

/** Additions to the service, and replacements for its parts. */
export interface Composition {
  /** The modules with the operations. Default: `PetsModule`, `StoreModule`, `MessagesModule` and `AuthModule`. */
  readonly features?: readonly (Type | DynamicModule)[];
  /** Replacements for providers: the services, and the repositories of animals and orders. */
  readonly replace?: readonly Replacement[];
  /** Replacements for DTOs of bodies and responses, which they extend. The OpenAPI document describes them. */
  readonly dtos?: readonly DtoReplacement[];
  /** Configuration factories, as `registerAs` of `@nestjs/config` returns them. All modules can inject them. */
  readonly config?: readonly ConfigFactory[];
  /** The HTTP statuses of additional error codes, which the interface `ErrorCodes` declares. */
  readonly errorCodes?: OwnErrorCodes;
  /** Additional migrations. They run together with those of the service, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
  /** The scopes that operations require, by operationId: `{ createPet: 'pets:write' }`. */
  readonly scopes?: Scopes;
  /** Configures the application before it is initialised, for example with `app.useWebSocketAdapter(…)`. */
  readonly configure?: (app: NestExpressApplication) => void | Promise<void>;
  /** Descriptions of additional tags in the OpenAPI document, by the name of the tag. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Adds to the OpenAPI document, for example a contact, or a security scheme with `builder.addOAuth2(…)`. */
  readonly document?: (builder: DocumentBuilder) => void;
}
