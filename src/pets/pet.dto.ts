import { DEFAULT_PAGE_SIZE } from '../domain/page.js';
import { CursorParam, EnumField, Int64Field, LimitParam, TextField } from '../http/field.decorators.js';

/** Whether an animal can be had. */
export enum PetStatus {
  Available = 'available',
  Pending = 'pending',
  Sold = 'sold',
}

const PET_STATUS_SCHEMA = { name: 'PetStatus', description: 'Whether an animal can be had.' };

/** An animal to add. */
export class NewPet {
  /**
   * The animal's name: any Unicode text of up to 20,000 characters, which may be empty. It holds no U+0000 and no lone
   * surrogates.
   */
  @TextField({ maxLength: 20_000, example: 'Kitty Cat' })
  readonly name!: string;

  /** Identifier of the category the animal belongs to. It is kept, and not checked against anything. */
  @Int64Field({ example: 2 })
  readonly categoryId!: bigint;

  /** Availability status. There is no default: left out here, it is absent from the animal. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;
}

/** An animal of the store. */
export class Pet extends NewPet {
  /** Unique identifier, assigned by the service. Later animals have larger ones. */
  @Int64Field({ example: 1 })
  readonly id!: bigint;
}

/** Which animals to list. */
export class ListPetsQuery {
  /** The largest number of animals to return. */
  @LimitParam({ default: DEFAULT_PAGE_SIZE })
  readonly limit?: number;

  /** Return only the animals of this status. */
  @EnumField(PetStatus, PET_STATUS_SCHEMA, { required: false, example: 'available' })
  readonly status?: PetStatus;

  /** Return only the animals that come after the one with this id. The `Link` header of a page carries it. */
  @CursorParam()
  readonly after?: bigint;
}
