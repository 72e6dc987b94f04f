import {
  type DynamicModule,
  Global,
  type MiddlewareConsumer,
  Module,
  type ModuleMetadata,
  type NestModule,
  RequestMethod,
  type Type,
} from '@nestjs/common';
import { getOptionsToken, getStorageToken, ThrottlerStorageService } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';

import { CONFIG, type Config } from '../config/config.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { RateLimiter, WINDOW_MS } from '../rate-limit/rate-limiter.js';
import { AccountEntity } from './accounts/account.entity.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsController } from './accounts.controller.js';
import { Authenticator } from './callers/authenticator.js';
import { CallerCache } from './callers/caller-cache.js';
import { KeyVerifier } from './callers/key-verifier.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeysRepository } from './keys/keys.repository.js';
import { KeysService } from './keys/keys.service.js';
import { SignupMiddleware } from './signup.middleware.js';

const EXPORTED = [Authenticator, KeysService, AccountsRepository, RateLimiter, RateLimitGuard];

/** The guards that authenticate and limit the requests of every operation, and what they need. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity])],
  providers: [
    ...EXPORTED,
    CallerCache,
    KeysRepository,
    { provide: KeyVerifier, useClass: ApiKeyVerifier },
    // Nest's ThrottlerModule is global, so that a ThrottlerGuard of a team would get these options.
    {
      provide: getOptionsToken(),
      inject: [CONFIG],
      useFactory: ({ rateLimitPerMinute: limit = Infinity }: Config) => [{ limit, ttl: WINDOW_MS }],
    },
    { provide: getStorageToken(), useClass: ThrottlerStorageService },
  ],
  exports: [...EXPORTED, KeyVerifier],
})
class BearerModule {}

/** The operations on accounts and keys. */
@Module({ providers: [SignupMiddleware], controllers: [AccountsController] })
export class AccountsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SignupMiddleware).forRoutes({ path: 'accounts', method: RequestMethod.POST });
  }
}

/** Accounts and keys, and the guard that authenticates requests. */
@Module({ imports: [BearerModule, AccountsModule] })
export class AuthModule {
  /** Registers the guard with another verifier. Only with one that extends `ApiKeyVerifier`, the service issues keys. */
  static register({
    verifier,
    imports = [],
  }: {
    verifier: Type<KeyVerifier>;
    imports?: ModuleMetadata['imports'];
  }): DynamicModule {
    const issuesKeys = verifier === ApiKeyVerifier || verifier.prototype instanceof ApiKeyVerifier;
    return {
      module: BearerModule,
      imports: issuesKeys ? [...imports, AccountsModule] : imports,
      providers: [{ provide: KeyVerifier, useClass: verifier }],
    };
  }
}
