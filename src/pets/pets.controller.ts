import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import type { Page } from '../domain/page.js';
import { Int64Param } from '../http/int64-param.decorator.js';
import { JsonBody } from '../http/json-body.decorator.js';
import { ValidQuery } from '../http/valid-query.decorator.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { Idempotent, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { Answers, AnswersPage } from '../openapi/api-responses.decorator.js';
import { Deprecated } from '../openapi/deprecated.decorator.js';
import { header } from '../openapi/header.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { Stability } from '../openapi/stability.decorator.js';
import { ListPetsQuery, NewPet, Pet } from './pet.dto.js';
import { PetNotFound } from './pet.errors.js';
import { PetsService } from './pets.service.js';

@ApiTags('Pets')
@Controller('v1/pets')
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * List animals
   *
   * @remarks Animals come in the order of their ids. When more follow, the `Link` header holds the address of
   * the next page (RFC 8288); follow it as it is.
   */
  @Get()
  @Stability('stable')
  @AnswersPage('Pets', Pet, '/v1/pets?limit=20&after=42')
  @ApiErrors('invalid_request')
  listPets(@ValidQuery() query: ListPetsQuery, @Req() request: AuthenticatedRequest): Promise<Page<Pet>> {
    return this.pets.list(query, request.caller.accountId);
  }

  /**
   * Add an animal
   *
   * @remarks The service assigns the id. Fields that it does not know are ignored.
   */
  @Post()
  @Stability('stable')
  @Answers(201, Pet, 'The animal, with its id.', {
    Location: header('Where the animal is.', '/v1/pets/42'),
    ...REPLAYED,
  })
  @Idempotent()
  @ApiErrors('invalid_request', 'payload_too_large')
  async createPet(
    @JsonBody() newPet: NewPet,
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Pet> {
    const pet = await this.idempotency.once(request, newPet, (transaction) =>
      this.pets.create(request.caller.accountId, newPet, transaction),
    );
    response.setHeader('Location', `/v1/pets/${pet.id}`);
    return pet;
  }

  /**
   * Get an animal by its id
   *
   * @remarks Use the list of animals instead, with its `status` filter.
   */
  @Get(':petId')
  @Stability('stable')
  @Answers(200, Pet, 'The animal.')
  @Deprecated({ since: '2026-11-19', removal: '2030-12-05', successor: '/v1/pets' })
  @ApiErrors('not_found')
  getPet(@Int64Param('petId', PetNotFound, 'The id of the animal.', 1) petId: bigint): Promise<Pet> {
    return this.pets.get(petId);
  }
}
