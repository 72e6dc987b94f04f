import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { replaceable } from '../composition/replaceable.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PetEntity } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';
import { PostgresPetsRepository } from './postgres-pets.repository.js';

/** Animals. */
@Module({
  imports: [TypeOrmModule.forFeature([PetEntity]), IdempotencyModule],
  controllers: [PetsController],
  providers: [
    ...replaceable(PetsService),
    PostgresPetsRepository,
    ...replaceable(PetsRepository, PostgresPetsRepository),
  ],
  exports: [PetsService],
})
export class PetsModule {}
