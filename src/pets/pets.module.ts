import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PetEntity } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PostgresPetsRepository } from './postgres-pets.repository.js';
import { PetsService } from './pets.service.js';

/** The animals. */
@Module({
  imports: [TypeOrmModule.forFeature([PetEntity]), IdempotencyModule],
  controllers: [PetsController],
  providers: [
    PetsService,
    PostgresPetsRepository,
    { provide: PetsRepository, useExisting: PostgresPetsRepository },
  ],
  exports: [PetsService],
})
export class PetsModule {
  /**
   * The animals, kept in another way.
   *
   * @param repository what keeps them; it may use {@link PostgresPetsRepository}, which keeps them in their table
   */
  static register({ repository }: { repository: Type<PetsRepository> }): DynamicModule {
    return { module: PetsModule, providers: [{ provide: PetsRepository, useClass: repository }] };
  }
}
