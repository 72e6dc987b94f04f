import { Module } from '@nestjs/common';

import { repositoryOf } from '../database/engine.js';
import { CitusIdempotencyRepository, IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Idempotent requests. */
@Module({
  providers: [IdempotencyService, repositoryOf(IdempotencyRepository, CitusIdempotencyRepository)],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
