import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountEntity } from './accounts/account.entity.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuthRepository } from './auth.repository.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeyVerifier } from './keys/key-verifier.js';

/** The guard that checks the bearer key of every operation. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity])],
  providers: [
    AuthService,
    AccountsService,
    AuthRepository,
    BearerGuard,
    ApiKeyVerifier,
    { provide: KeyVerifier, useExisting: ApiKeyVerifier },
  ],
  exports: [AuthService, AccountsService, BearerGuard, KeyVerifier],
})
export class BearerModule {}
