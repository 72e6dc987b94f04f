import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountEntity } from './accounts/account.entity.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { ReadYourWritesGuard } from './read-your-writes.guard.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { KeysRepository } from './keys/keys.repository.js';
import { KeysService } from './keys/keys.service.js';

/** Accounts, their keys, and the guard that authenticates the requests of every operation. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity]), RateLimitModule],
  providers: [
    AuthService,
    BearerGuard,
    ReadYourWritesGuard,
    KeysService,
    KeysRepository,
    AccountsService,
    AccountsRepository,
    ApiKeyVerifier,
    { provide: KeyVerifier, useExisting: ApiKeyVerifier },
  ],
  exports: [
    ...[AuthService, KeysService, AccountsService, KeyVerifier],
    ...[BearerGuard, ReadYourWritesGuard, RateLimitModule],
  ],
})
export class BearerModule {}
