import {
  type DynamicModule,
  Global,
  type MiddlewareConsumer,
  Module,
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
import { AccountsController } from './accounts.controller.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { SignupLimit } from './accounts/signup.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { KeysService } from './keys/keys.service.js';
import { ReadYourWritesGuard } from './read-your-writes.guard.js';

const EXPORTED = [
  AuthService,
  BearerGuard,
  ReadYourWritesGuard,
  KeysService,
  AccountsService,
  RateLimiter,
  RateLimitGuard,
];

/** The guards that authenticate and limit the requests of every operation, and what they need. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity])],
  providers: [
    ...EXPORTED,
    AccountsRepository,
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

/** Accounts and keys, and the guard that authenticates requests. */
@Module({ imports: [BearerModule], providers: [SignupLimit], controllers: [AccountsController] })
export class AuthModule implements NestModule {
  /**
   * Registers the guard with another verifier. The module then has no operations on accounts and keys, because another
   * system issues the keys.
   *
   * @param verifier the class that verifies keys, instead of the table of keys
   */
  static register({ verifier }: { verifier: Type<KeyVerifier> }): DynamicModule {
    return { module: BearerModule, providers: [{ provide: KeyVerifier, useClass: verifier }] };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SignupLimit).forRoutes({ path: 'accounts', method: RequestMethod.POST });
  }
}
