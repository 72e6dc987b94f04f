import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { ListPetsQuery, NewPet, Pet } from 'petstore';

const MICROCHIP = {
  type: String,
  required: false,
  pattern: '^\\d{15}$',
  description: 'The number of the microchip (ISO 11784).',
  example: '276098102345678',
};

/** An optional field may be absent, but not null. */
const IfPresent = () => ValidateIf((_object, value) => value !== undefined);

/** An animal to add, with its tags and its microchip. */
export class NewShelterPet extends NewPet {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: 40 },
    maxItems: 10,
    required: false,
    description: 'Tags.',
    example: ['shy'],
  })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(10)
  @IsString({ each: true })
  @MaxLength(40, { each: true })
  readonly shelterTags?: string[];

  @ApiProperty(MICROCHIP)
  @IfPresent()
  @Matches(/^\d{15}$/, { message: '$property must have 15 digits' })
  readonly shelterMicrochip?: string;
}

/** An animal of the shelter. */
export class ShelterPet extends IntersectionType(NewShelterPet, Pet) {}

/** The page of animals to return. */
export class ListShelterPetsQuery extends ListPetsQuery {
  @ApiProperty(MICROCHIP)
  @IfPresent()
  @Matches(/^\d{15}$/, { message: '$property must have 15 digits' })
  readonly shelterMicrochip?: string;
}
