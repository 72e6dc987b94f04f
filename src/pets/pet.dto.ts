import { EnumField, Int64Field, TextField } from '../http/validation/field.decorators.js';
import { PageQuery } from '../http/validation/page-query.dto.js';

/** The availability of an animal. */
export enum PetStatus {
  Available = 'available',
  Pending = 'pending',
  Sold = 'sold',
}

const PET_STATUS_SCHEMA = { name: 'PetStatus', description: 'The availability of an animal.' };

/** An animal to add. */
export class NewPet {
  /**
   * The animal's name: any Unicode text of up to 20,000 characters, without U+0000 and lone surrogates. It may be
   * empty.
   */
  @TextField({ maxLength: 20_000, example: 'Kitty Cat' })
  readonly name!: string;

  /** Identifier of the animal's category. The service stores it without checking that the category exists. */
  @Int64Field({ example: 2 })
  readonly categoryId!: bigint;

  /** Availability status. There is no default: if you omit it, the animal has no status. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;
}

/** An animal of the store. */
export class Pet extends NewPet {
  /** Unique identifier, assigned by the service. Later animals have larger ones. */
  @Int64Field({ example: 1 })
  readonly id!: bigint;
}

/** The page of animals to return. */
export class ListPetsQuery extends PageQuery {
  /** Returns only animals with this status. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;
}
