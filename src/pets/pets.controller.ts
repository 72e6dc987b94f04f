import { Body, Controller, Get, Post, Query, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import { type Caller, CurrentCaller } from '../auth/callers/caller.decorator.js';
import { InvalidRequest, NotFound } from '../domain/errors.js';
import { publicPath } from '../http/service-address.js';
import { BODY_ERRORS } from '../http/errors/http-errors.js';
import { Int64Param } from '../http/validation/int64-param.decorator.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { Idempotent, IdempotentRequest, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { ApiPageResponse } from '../openapi/decorators/api-responses.decorator.js';
import { Deprecated } from '../openapi/decorators/deprecated.decorator.js';
import { header } from '../openapi/decorators/header.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { INVALID_LIMIT } from '../pagination/page-query.dto.js';
import { sendPage } from '../pagination/page.js';
import { ListPetsQuery, NewPet, Pet } from './pet.dto.js';
import { PetsService } from './pets.service.js';

@ApiTags('Pets')
@Controller({ path: 'v1/pets', version: VERSION_NEUTRAL })
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * List animals
   *
   * @remarks Animals are sorted by id. If there are more, the `Link` header contains the URL of the next page (RFC
   * 8288). Use the URL unchanged.
   */
  @Get()
  @ApiPageResponse('Pets', Pet, '/v1/pets?limit=1&after=1')
  @ApiErrors(INVALID_LIMIT)
  async listPets(
    @Query() query: ListPetsQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<readonly Pet[]> {
    return sendPage(response, query, await this.pets.list(caller.account.id, query));
  }

  /**
   * Add an animal
   *
   * @remarks The service assigns the id and ignores unknown fields.
   */
  @Post()
  @ApiCreatedResponse({
    type: Pet,
    description: 'The animal, with its id.',
    headers: { Location: header('The URL of the animal.', '/v1/pets/1', true), ...REPLAYED },
  })
  @Idempotent()
  @ApiErrors(new InvalidRequest('name is required.'), ...BODY_ERRORS)
  async createPet(
    @Body() newPet: NewPet,
    @IdempotentRequest() request: IdempotentRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Pet> {
    const pet = await this.idempotency.run(request, newPet, (transaction) =>
      this.pets.create(request.accountId, newPet, transaction),
    );
    response.location(publicPath(response.req, `/v1/pets/${pet.id}`));
    return pet;
  }

  /**
   * Get an animal by its id
   *
   * @remarks Use the list of animals instead, with its `status` filter.
   */
  @Get(':petId')
  @ApiOkResponse({ type: Pet, description: 'The animal.' })
  @Deprecated({ since: '2026-11-19', removal: '2030-12-05', successor: '/v1/pets' })
  @ApiErrors(new NotFound('animal', 1n))
  getPet(@Int64Param('petId', 'animal') petId: bigint, @CurrentCaller() caller: Caller): Promise<Pet> {
    return this.pets.get(caller.account.id, petId);
  }
}
