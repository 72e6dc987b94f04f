import { type DynamicModule, Module, type Type } from '@nestjs/common';

import { AccountsController } from './accounts/accounts.controller.js';
import { SignupQuota } from './accounts/signup-quota.js';
import { KeysController } from './keys/keys.controller.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { BearerModule } from './bearer.module.js';
import { KeyVerifier } from './keys/key-verifier.js';

/** Accounts and keys, and the guard that asks every operation for a key. */
@Module({
  imports: [BearerModule, RateLimitModule],
  providers: [SignupQuota],
  controllers: [AccountsController, KeysController],
  exports: [BearerModule],
})
export class AuthModule {
  /**
   * The guard alone. Keys of another kind are made and revoked where they come from, so the operations on
   * accounts and keys are left out.
   *
   * @param verifier what knows whose key it is, in place of the table of keys
   */
  static register({ verifier }: { verifier: Type<KeyVerifier> }): DynamicModule {
    return {
      module: BearerModule,
      providers: [{ provide: KeyVerifier, useClass: verifier }],
    };
  }
}
