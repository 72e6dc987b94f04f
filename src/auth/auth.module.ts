import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountEntity } from './account.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AccountsController } from './accounts.controller.js';
import { AuthController } from './auth.controller.js';
import { AuthRepository } from './auth.repository.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';

/** Accounts and keys, and the guard that asks every operation for a key. */
@Module({
  // How much a key may ask is looked at after the key: guards run in the order of their modules.
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity]), RateLimitModule],
  controllers: [AccountsController, AuthController],
  providers: [AuthService, AuthRepository, { provide: APP_GUARD, useClass: BearerGuard }],
  exports: [AuthService],
})
export class AuthModule {}
