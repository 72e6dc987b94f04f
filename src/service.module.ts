import { type CanActivate, type DynamicModule, Inject, Module, type Type } from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  HttpAdapterHost,
  ModulesContainer,
} from '@nestjs/core';

import { AuthService } from './auth/auth.service.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { ReadYourWritesGuard } from './auth/read-your-writes.guard.js';
import { CONFIG, type Config } from './config/config.js';
import { BodyGuard } from './http/body.guard.js';
import { ErrorFilter } from './http/errors/error.filter.js';
import { ErrorInterceptor } from './http/errors/error.interceptor.js';
import type { PetstoreAdapter } from './http/petstore.adapter.js';
import { RequestGuards } from './http/request-guards.js';
import { RequestValidationPipe } from './http/validation/validation.pipe.js';
import { MessagesService } from './messages/messages.service.js';
import { TracingService } from './observability/traces/tracing.service.js';
import { PetsService } from './pets/pets.service.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { StoreService } from './store/store.service.js';

/**
 * The service around the modules of an application: the guards, the interceptor, the pipe and the filter of every
 * request. They belong to the outermost module, so that its guards run before those of the application, and its filter
 * gets what no filter of the application catches.
 */
@Module({})
export class ServiceModule {
  static around(root: Type | DynamicModule): DynamicModule {
    return {
      module: ServiceModule,
      imports: [root],
      providers: [
        BodyGuard,
        TracingService,
        {
          provide: APP_GUARD,
          inject: [CONFIG, BearerGuard, RateLimitGuard, ReadYourWritesGuard, BodyGuard],
          useFactory: guardsOf,
        },
        { provide: APP_INTERCEPTOR, useClass: ErrorInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }

  /** @throws Error when a feature exists twice */
  constructor(
    adapterHost: HttpAdapterHost<PetstoreAdapter>,
    @Inject(CONFIG) config: Config,
    modules: ModulesContainer,
  ) {
    // Nest creates the modules before the server, which needs the configuration. In a testing module, there is no adapter
    // yet, whatever its type says.
    (adapterHost as Partial<typeof adapterHost>).httpAdapter?.configure(config);
    // Nest creates one instance for a module class and another one for the result of its `register`.
    for (const [name, service] of Object.entries(FEATURES)) {
      const count = [...modules.values()].filter(({ providers }) => providers.has(service)).length;
      if (count < 2) continue;
      throw new Error(
        `The application has ${count} instances of ${name}. Import it once, in the root module: the services of the ` +
          `features are available in all modules.`,
      );
    }
  }
}

/** A service of each feature, by the name of its module. */
const FEATURES = {
  PetsModule: PetsService,
  StoreModule: StoreService,
  MessagesModule: MessagesService,
  AuthModule: AuthService,
};

/** Returns the guards of every request, in their order. Those that the configuration does not need are left out. */
function guardsOf(
  { rateLimitPerMinute, databaseReplicaUrls }: Config,
  bearer: CanActivate,
  rateLimit: CanActivate,
  readYourWrites: CanActivate,
  body: CanActivate,
): RequestGuards {
  return new RequestGuards([
    bearer,
    ...(rateLimitPerMinute === undefined ? [] : [rateLimit]),
    ...(databaseReplicaUrls.length === 0 ? [] : [readYourWrites]),
    body,
  ]);
}
