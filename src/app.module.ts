import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

import { AuthModule } from './auth/auth.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { SCOPES, ScopesGuard } from './auth/scopes.guard.js';
import { WritesGuard } from './auth/writes.guard.js';
import type { Replacement } from './composition/replacements.js';
import { ReplacementsModule } from './composition/replacements.module.js';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import type { MigrationClass } from './database/migrate.js';
import { HealthModule } from './health/health.module.js';
import { DomainErrorInterceptor } from './http/domain-error.interceptor.js';
import { ErrorFilter } from './http/error.filter.js';
import { HttpModule } from './http/http.module.js';
import { JsonBodyGuard } from './http/json-body.guard.js';
import { RequestValidationPipe } from './http/validation.pipe.js';
import { IdempotencyKeyGuard } from './idempotency/idempotency-key.guard.js';
import { MessagesModule } from './messages/messages.module.js';
import { LogModule } from './observability/logs/log.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { TracingModule } from './observability/traces/tracing.module.js';
import type { Scopes } from './openapi/scopes.js';
import { PetsModule } from './pets/pets.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RefusedKeyFilter } from './rate-limit/refused-key.filter.js';
import { StoreModule } from './store/store.module.js';

/** The parts of a team's service. */
export interface Composition {
  /** The modules of all features. Default: those of the interface. */
  readonly features?: readonly (Type | DynamicModule)[];
  /** Replacements for providers: for services, and for the repositories of animals and orders. */
  readonly replace?: readonly Replacement[];
  /** Additional migrations. They run together with those of the service, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
  /** The scopes that operations require, by operationId: `{ createPet: 'pets:write' }`. */
  readonly scopes?: Scopes;
  /** Configures the application before it is initialised, for example with `app.useWebSocketAdapter(…)`. */
  readonly configure?: (app: NestExpressApplication) => void | Promise<void>;
  /** Descriptions of additional tags in the published document, by the name of the tag. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** The features, whose operations are the interface. Express matches routes in this order. */
export const FEATURES = [PetsModule, StoreModule, MessagesModule, AuthModule];

/** The service: the features, the modules that they share, and the guards, interceptors, pipes and filters. */
@Module({})
export class AppModule {
  /** Returns the module of the service, or of a composition of it. */
  static with(
    config: Config,
    { features = FEATURES, migrations, replace, scopes = {} }: Composition = {},
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        ReplacementsModule.with(replace),
        LogModule,
        DatabaseModule.with(migrations),
        HttpModule,
        RateLimitModule,

        ...features,

        HealthModule,
        MetricsModule,
        TracingModule,
      ],
      providers: [
        { provide: SCOPES, useValue: scopes },
        // Every request passes these in this order.
        { provide: APP_GUARD, useExisting: BearerGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useClass: ScopesGuard },
        { provide: APP_GUARD, useClass: WritesGuard },
        { provide: APP_GUARD, useClass: IdempotencyKeyGuard },
        { provide: APP_GUARD, useClass: JsonBodyGuard },
        { provide: APP_INTERCEPTOR, useClass: DomainErrorInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        // Nest tries the last filter first.
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_FILTER, useExisting: RefusedKeyFilter },
      ],
    };
  }
}
