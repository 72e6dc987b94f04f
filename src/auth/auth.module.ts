import { type DynamicModule, Module, type Type } from '@nestjs/common';

import { AccountsController } from './accounts/accounts.controller.js';
import { SignupQuota } from './accounts/signup-quota.js';
import { KeysController } from './keys/keys.controller.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { BearerModule } from './bearer.module.js';
import { KeyVerifier } from './keys/key-verifier.js';

/** Accounts and keys, and the guard that authenticates requests. */
@Module({
  imports: [BearerModule, RateLimitModule],
  providers: [SignupQuota],
  controllers: [AccountsController, KeysController],
  exports: [BearerModule],
})
export class AuthModule {
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
}
