import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountEntity } from './account.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AccountsService } from './accounts.service.js';
import { AuthRepository } from './auth.repository.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { KeyVerifier } from './key-verifier.js';
import { StoredKeys } from './stored-keys.js';

/** The guard that asks every operation for a key. */
@Module({
  // How much a key may ask is looked at after the key: guards run in the order of their modules.
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity]), RateLimitModule],
  providers: [
    AuthService,
    AccountsService,
    AuthRepository,
    StoredKeys,
    { provide: KeyVerifier, useExisting: StoredKeys },
    { provide: APP_GUARD, useClass: BearerGuard },
  ],
  exports: [AuthService, AccountsService],
})
export class BearerModule {}
