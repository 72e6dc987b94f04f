import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountEntity } from './account.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AccountsController } from './accounts.controller.js';
import { AuthController } from './auth.controller.js';
import { AuthRepository } from './auth.repository.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';

/** Accounts and keys, and the guard that asks every operation for a key. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity])],
  controllers: [AccountsController, AuthController],
  providers: [AuthService, AuthRepository, { provide: APP_GUARD, useClass: BearerGuard }],
  exports: [AuthService],
})
export class AuthModule {}
