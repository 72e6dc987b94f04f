import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, type Caller, CurrentCaller, InvalidRequest, type Pet, PetsService } from 'petstore';

import { ListShelterPetsQuery, ShelterPet } from './shelter-pet.dto.js';

/** A page of animals in the second version of the interface. */
export class PetsPage {
  @ApiProperty({ type: [ShelterPet], description: 'The animals.' })
  readonly items!: readonly Pet[];

  @ApiProperty({ type: String, nullable: true, description: 'The cursor of the next page.', example: '42' })
  readonly next!: string | null;
}

@ApiTags('Pets')
@Controller({ path: 'pets', version: '2' })
export class PetsV2Controller {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @ApiOperation({ summary: 'List animals, with the cursor in the body' })
  @ApiOkResponse({ type: PetsPage, description: 'A page of the list.' })
  @ApiErrors(new InvalidRequest('shelterMicrochip must have 15 digits.'))
  async listPets(@Query() query: ListShelterPetsQuery, @CurrentCaller() caller: Caller): Promise<PetsPage> {
    const { items, nextAfter } = await this.pets.list(caller.account.id, query);
    return { items, next: nextAfter?.toString() ?? null };
  }
}
