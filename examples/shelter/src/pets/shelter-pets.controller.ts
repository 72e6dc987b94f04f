import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ApiErrors,
  ApiPageResponse,
  BODY_ERRORS,
  type Caller,
  CurrentCaller,
  Deprecated,
  Idempotent,
  IdempotentRequest,
  Int64Param,
  InvalidRequest,
  type Pet,
  PetNotFound,
  PetsController,
  REPLAYED,
} from 'petstore';

import { ListShelterPetsQuery, NewShelterPet, ShelterPet } from './shelter-pet.dto.js';

/** The operations on animals, with the fields and filters of the shelter. */
@ApiTags('Pets')
@Controller('v1/pets')
export class ShelterPetsController extends PetsController {
  @Get()
  @ApiOperation({ summary: 'List animals' })
  @ApiPageResponse('Pets', ShelterPet, '/v1/pets?limit=1&after=1')
  @ApiErrors(new InvalidRequest('microchip must have 15 digits.'))
  override listPets(
    @Query() query: ListShelterPetsQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<readonly Pet[]> {
    return super.listPets(query, caller, response);
  }

  @Post()
  @ApiOperation({ summary: 'Add an animal' })
  @ApiCreatedResponse({
    type: ShelterPet,
    description: 'The animal, with its id.',
    headers: {
      Location: { description: 'The URL of the animal.', required: true, schema: { type: 'string' } },
      ...REPLAYED,
    },
  })
  @Idempotent()
  @ApiErrors(new InvalidRequest('microchip must have 15 digits.'), ...BODY_ERRORS)
  override createPet(
    @Body() newPet: NewShelterPet,
    @IdempotentRequest() request: IdempotentRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Pet> {
    return super.createPet(newPet, request, response);
  }

  @Get(':petId')
  @ApiOperation({ summary: 'Get an animal by its id' })
  @ApiOkResponse({ type: ShelterPet, description: 'The animal.' })
  @Deprecated({ since: '2026-11-19', removal: '2030-12-05', successor: '/v1/pets' })
  @ApiErrors(new PetNotFound(1n))
  override getPet(@Int64Param('petId', PetNotFound, 'The id of the animal.', 1) petId: bigint): Promise<Pet> {
    return super.getPet(petId);
  }
}
