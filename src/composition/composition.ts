import type { DynamicModule, Type } from '@nestjs/common';
import type { ConfigFactory } from '@nestjs/config';
import type { NestExpressApplication } from '@nestjs/platform-express';

import type { MigrationClass } from '../database/migrate.js';
import type { OwnErrorCodes } from '../domain/error-codes.js';
import type { DtoReplacement } from '../http/dtos.js';
import type { Scopes } from '../openapi/scopes.js';
import type { Replacement } from './replacements.js';

/** The parts of a team's service. */
export interface Composition {
  /** The modules of all its features. Default: those of the interface. */
  readonly features?: readonly (Type | DynamicModule)[];
  /** Providers that take the place of the service's own: its services, and the repositories of animals and orders. */
  readonly replace?: readonly Replacement[];
  /** Classes that replace DTOs of the service, which they extend. They also replace them in the OpenAPI document. */
  readonly dtos?: readonly DtoReplacement[];
  /** The team's configuration: what `registerAs` of `@nestjs/config` returns. It is injected everywhere. */
  readonly config?: readonly ConfigFactory[];
  /** The HTTP statuses of the team's error codes, which the interface `ErrorCodes` declares. */
  readonly errorCodes?: OwnErrorCodes;
  /** Migrations of the team's own. They run with the service's, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
  /** The scopes that operations need, by operationId: `{ createPet: 'pets:write' }`. */
  readonly scopes?: Scopes;
  /** Changes the application before it is initialised, with Nest's own methods: `app.useWebSocketAdapter(…)`. */
  readonly configure?: (app: NestExpressApplication) => void | Promise<void>;
  /** Descriptions of the team's own tags in the published document, by the name of the tag. */
  readonly tags?: Readonly<Record<string, string>>;
}
