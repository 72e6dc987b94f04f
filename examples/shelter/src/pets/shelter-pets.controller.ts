import { Controller } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ApiErrors,
  ApiPageResponse,
  type Caller,
  type IdempotentRequest,
  InheritOperation,
  InvalidRequest,
  type Pet,
  PetsController,
} from 'petstore';

import { ListShelterPetsQuery, NewShelterPet, ShelterPet } from './shelter-pet.dto.js';

/** The operations on animals, with the fields and filters of the shelter. */
@ApiTags('Pets')
@Controller('v1/pets')
export class ShelterPetsController extends PetsController {
  @ApiPageResponse('Pets', ShelterPet, '/v1/pets?limit=1&after=1')
  @ApiErrors(new InvalidRequest('shelterMicrochip must have 15 digits.'))
  @InheritOperation()
  override listPets(
    query: ListShelterPetsQuery,
    caller: Caller,
    response: Response,
  ): Promise<readonly Pet[]> {
    return super.listPets(query, caller, response);
  }

  @ApiCreatedResponse({ type: ShelterPet })
  @ApiErrors(new InvalidRequest('shelterMicrochip must have 15 digits.'))
  @InheritOperation()
  override createPet(newPet: NewShelterPet, request: IdempotentRequest, response: Response): Promise<Pet> {
    return super.createPet(newPet, request, response);
  }

  @ApiOkResponse({ type: ShelterPet })
  @InheritOperation()
  override getPet(petId: bigint, caller: Caller): Promise<Pet> {
    return super.getPet(petId, caller);
  }
}
