import { type DynamicModule, Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { repositoryOf } from '../database/engine.js';
import { replaceModule } from '../feature-module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { CitusPetsRepository } from './citus-pets.repository.js';
import { NEW_PET, type NewPet } from './pet.dto.js';
import { PetEntity } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PET_ENTITY, PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

export interface PetsOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly controller?: Type<PetsController>;
  readonly service?: Type<PetsService>;
  readonly repository?: Type<PetsRepository>;
  /** A subclass of the entity, with columns of a team. The statements of the repository have them, too. */
  readonly entity?: Type<PetEntity>;
}

function metadataOf({
  controller = PetsController,
  service = PetsService,
  repository,
  entity = PetEntity,
  imports = [],
}: PetsOptions): ModuleMetadata {
  return {
    imports: [TypeOrmModule.forFeature([PetEntity, entity]), IdempotencyModule, ...imports],
    controllers: [controller],
    providers: [
      { provide: PetsService, useClass: service },
      { provide: PET_ENTITY, useValue: entity },
      { provide: NEW_PET, useValue: bodyOf(controller) },
      repository
        ? { provide: PetsRepository, useClass: repository }
        : repositoryOf(PetsRepository, CitusPetsRepository),
    ],
    exports: [PetsService],
  };
}

function bodyOf(controller: Type<PetsController>): Type<NewPet> {
  const handlers = controller.prototype as PetsController;
  const [body] = Reflect.getMetadata('design:paramtypes', handlers, 'createPet') as [Type<NewPet>];
  return body;
}

/** Animals. All modules can inject the `PetsService`. */
@Global()
@Module(metadataOf({}))
export class PetsModule {
  static register(options: PetsOptions): DynamicModule {
    return replaceModule(PetsModule, metadataOf(options));
  }
}
