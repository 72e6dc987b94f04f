import { EnumField, Int64Field, TextField } from '../http/validation/field.decorators.js';
import { MAX_PET_NAME_LENGTH } from '../limits.js';
import { PageQuery } from '../pagination/page-query.dto.js';

/** The availability of an animal. */
export enum PetStatus {
  Available = 'available',
  Pending = 'pending',
  Sold = 'sold',
}

const PET_STATUS_SCHEMA = { name: 'PetStatus', description: 'The availability of an animal.' };

/** An animal to add. */
export class NewPet {
  @TextField({
    maxLength: MAX_PET_NAME_LENGTH,
    example: 'Kitty Cat',
    description:
      `The animal's name: any Unicode text of up to ${MAX_PET_NAME_LENGTH.toLocaleString('en')} characters, without ` +
      'U+0000 and lone surrogates. It may be empty.',
  })
  readonly name!: string;

  /** Identifier of the animal's category. The service stores it without checking that the category exists. */
  @Int64Field({ example: 2 })
  readonly categoryId!: bigint;

  /** Availability status. There is no default: an animal may have no status. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;
}

/** Injection token of the class of the body that adds an animal: `NewPet` or a subclass. */
export const NEW_PET = Symbol('NewPet');

/** An animal of the store. */
export class Pet extends NewPet {
  /** Unique identifier, assigned by the service. Ids rise with the order of insertion, not of commit: an animal with a
   * smaller id can appear later. */
  @Int64Field({ example: 1 })
  readonly id!: bigint;
}

/** The page of animals to return. */
export class ListPetsQuery extends PageQuery {
  /** Returns only animals with this status. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;
}
