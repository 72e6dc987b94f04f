import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type Type,
} from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  HttpAdapterHost,
  ModulesContainer,
} from '@nestjs/core';

import { Authenticator } from './auth/callers/authenticator.js';
import { KeyVerifier } from './auth/callers/key-verifier.js';
import { CONFIG, type Config } from './config/config.js';
import { DomainError } from './domain/errors.js';
import { BodyGuard } from './http/body.guard.js';
import { ErrorFilter } from './http/errors/error.filter.js';
import { HandlerInterceptor } from './http/handler.interceptor.js';
import { toErrorResponse } from './http/errors/error-response.js';
import type { PetstoreAdapter } from './http/petstore.adapter.js';
import { ReadYourWritesGuard } from './http/read-your-writes.guard.js';
import { RequestValidationPipe } from './http/validation/validation.pipe.js';
import { idempotencyKeyGuard } from './idempotency/idempotent.decorator.js';
import { TracingService } from './observability/traces/tracing.service.js';

/**
 * Runs the guards of every request in their order, without those that the configuration does not need. Maps their domain
 * errors, so that the exception filters of a team see HttpExceptions. Nest also runs global guards on resolvers of
 * GraphQL, and on the messages of WebSocket gateways, which authenticate their clients with {@link Authenticator}.
 */
@Injectable()
class RequestGuard implements CanActivate {
  private readonly guards: readonly CanActivate[];
  /** Those that need no body: the library of GraphQL has read it before. */
  private readonly callGuards: readonly CanActivate[];

  constructor(
    @Inject(CONFIG) { databaseReplicaUrls }: Config,
    authenticator: Authenticator,
    readYourWrites: ReadYourWritesGuard,
    body: BodyGuard,
  ) {
    this.callGuards = databaseReplicaUrls.length === 0 ? [authenticator] : [authenticator, readYourWrites];
    this.guards = [...this.callGuards, idempotencyKeyGuard, body];
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const type = context.getType<string>();
    if (type === 'ws') return true;
    try {
      for (const guard of type === 'http' ? this.guards : this.callGuards) {
        const isAccepted = guard.canActivate(context);
        if (isAccepted !== true && !(await isAccepted)) return false;
      }
      return true;
    } catch (error) {
      throw error instanceof DomainError ? toErrorResponse(error) : error;
    }
  }
}

/**
 * The service around the modules of an application: the guard, the interceptor, the pipe and the filter of every
 * request. They belong to the outermost module, so that its guard runs before those of the application, and its filter
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
        ReadYourWritesGuard,
        TracingService,
        { provide: APP_GUARD, useClass: RequestGuard },
        { provide: APP_INTERCEPTOR, useClass: HandlerInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }

  constructor(
    adapterHost: HttpAdapterHost<PetstoreAdapter>,
    @Inject(CONFIG) config: Config,
    modules: ModulesContainer,
  ) {
    // Nest stops the start when two modules have the same operations, but the verifier has none.
    if ([...modules.values()].filter(({ providers }) => providers.has(KeyVerifier)).length > 1) {
      throw new Error('Two modules verify keys. Import AuthModule once, in the root module.');
    }
    // Nest creates the modules before the server, which needs the configuration. In a testing module, there is no adapter
    // yet, whatever its type says.
    (adapterHost as Partial<typeof adapterHost>).httpAdapter?.configure(config);
  }
}
