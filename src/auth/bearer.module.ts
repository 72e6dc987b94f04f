import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountEntity } from './accounts/account.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuthRepository } from './auth.repository.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { KeyVerifier } from './keys/key-verifier.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';

/** The guard that asks every operation for a key. */
@Module({
  // How much a key may ask is looked at after the key: guards run in the order of their modules.
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity]), RateLimitModule],
  providers: [
    AuthService,
    AccountsService,
    AuthRepository,
    ApiKeyVerifier,
    { provide: KeyVerifier, useExisting: ApiKeyVerifier },
    { provide: APP_GUARD, useClass: BearerGuard },
  ],
  exports: [AuthService, AccountsService],
})
export class BearerModule {}
