import {
  type DynamicModule,
  Global,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  RequestMethod,
  type Type,
} from '@nestjs/common';

import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { SignupMiddleware } from './accounts/signup.middleware.js';
import { SignupQuota } from './accounts/signup-quota.js';
import { BearerModule } from './bearer.module.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { KeysController } from './keys/keys.controller.js';

/** Accounts and keys, and the guard that authenticates requests. */
@Global()
@Module({
  imports: [BearerModule, RateLimitModule],
  providers: [SignupQuota],
  controllers: [AccountsController, KeysController],
  exports: [BearerModule],
})
export class AuthModule implements NestModule {
  /**
   * Registers the guard with another verifier. The module then has no operations on accounts and keys, because another
   * system issues the keys.
   *
   * @param verifier the class that verifies keys, instead of the table of keys
   */
  static register({ verifier }: { verifier: Type<KeyVerifier> }): DynamicModule {
    return {
      module: BearerModule,
      providers: [{ provide: KeyVerifier, useClass: verifier }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SignupMiddleware).forRoutes({ path: 'accounts', method: RequestMethod.POST });
  }
}
