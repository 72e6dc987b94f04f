import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { repositoryOf } from '../database/engine.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { CitusIdempotencyRepository, IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Idempotent requests. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [IdempotencyService, repositoryOf(IdempotencyRepository, CitusIdempotencyRepository)],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
