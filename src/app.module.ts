import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';

import { AuthModule } from './auth/auth.module.js';
import { BearerModule } from './auth/bearer.module.js';
import { SCOPES, ScopesGuard } from './auth/scopes.guard.js';
import { ReadYourWritesGuard } from './auth/read-your-writes.guard.js';
import type { Composition } from './composition/composition.js';
import type { Config } from './config/config.js';
import { CoreModule } from './core.module.js';
import { HealthModule } from './health/health.module.js';
import { JsonBodyGuard } from './http/body/json-body.guard.js';
import { DomainErrorInterceptor } from './http/errors/domain-error.interceptor.js';
import { ErrorFilter } from './http/errors/error.filter.js';
import { FallbackRoutes } from './http/fallback-routes.js';
import { requestGuard } from './http/request-guard.js';
import { RequestValidationPipe } from './http/validation/validation.pipe.js';
import { IdempotencyKeyGuard } from './idempotency/idempotency-key.guard.js';
import { MessagesModule } from './messages/messages.module.js';
import { TracingService } from './observability/traces/tracing.service.js';
import { PetsModule } from './pets/pets.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { LimitedBearerGuard } from './rate-limit/limited-bearer.guard.js';
import { StoreModule } from './store/store.module.js';

/** The features, whose operations are the interface. Express matches routes in this order. */
const FEATURES: readonly Type[] = [PetsModule, StoreModule, MessagesModule, AuthModule];

/** The names of the features for errors. `AuthModule` and `AuthModule.register` both contain the `BearerModule`. */
export const FEATURE_NAMES: ReadonlyMap<Type, string> = new Map<Type, string>([
  ...FEATURES.map((feature): [Type, string] => [feature, feature.name]),
  [BearerModule, AuthModule.name],
]);

/** The service: the features, the modules that they share, and the guards, interceptors, pipes and filters. */
@Module({})
export class AppModule {
  /** Returns the module of the service, or of a composition of it. */
  static forRoot(config: Config, composition: Composition = {}): DynamicModule {
    const { features = FEATURES, scopes = {} } = composition;
    return {
      module: AppModule,
      imports: [CoreModule.forRoot(config, composition), RateLimitModule, ...features, HealthModule],
      providers: [
        { provide: SCOPES, useValue: scopes },
        TracingService,
        FallbackRoutes,
        // Every request passes these in this order.
        ...[LimitedBearerGuard, RateLimitGuard, ScopesGuard].flatMap(requestGuard),
        ...[ReadYourWritesGuard, IdempotencyKeyGuard, JsonBodyGuard].flatMap(requestGuard),
        { provide: APP_INTERCEPTOR, useClass: DomainErrorInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
