import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsISO8601, MaxLength, ValidateNested } from 'class-validator';
import { Int64Field, TextField } from 'petstore';

import { NewShelterPet, ShelterPet } from '../pets/shelter-pet.dto.js';

/** A visit to the vet. */
export class NewVisit {
  @Int64Field({ example: 1, description: 'The id of the animal.' })
  readonly petId!: bigint;

  @ApiProperty({ type: String, format: 'date', description: 'The day.', example: '2026-12-24' })
  @IsISO8601({ strict: true }, { message: '$property must be a day as YYYY-MM-DD' })
  @MaxLength(10)
  readonly day!: string;

  @TextField({ maxLength: 1000, example: 'Limps.', description: 'The reason for the visit.' })
  readonly reason!: string;
}

/** The first visit of a new animal. */
export class NewIntake extends OmitType(NewVisit, ['petId']) {
  @ApiProperty({ type: NewShelterPet, description: 'The animal.' })
  @IsDefined()
  @ValidateNested()
  @Type(() => NewShelterPet)
  readonly pet!: NewShelterPet;
}

/** A visit, as it was booked. */
export class Visit extends NewVisit {
  @Int64Field({ example: 7, description: 'Identifier, assigned by the service.' })
  readonly id!: bigint;
}

/** A new animal and its first visit. */
export class Intake {
  @ApiProperty({ type: ShelterPet, description: 'The animal.' })
  readonly pet!: ShelterPet;

  @ApiProperty({ type: Visit, description: 'Its first visit.' })
  readonly visit!: Visit;
}
