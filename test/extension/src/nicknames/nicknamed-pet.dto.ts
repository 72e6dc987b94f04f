import { ListField, NewPet, Pet } from 'petstore';

const NICKNAMES = {
  maxItems: 10,
  maxItemLength: 40,
  required: false,
  example: ['Rexy'],
  description: 'Other names of the animal.',
};

/** An animal to add, with nicknames. */
export class NewNicknamedPet extends NewPet {
  @ListField(String, NICKNAMES)
  readonly nicknames?: string[];
}

/** An animal of the store, with nicknames. */
export class NicknamedPet extends Pet {
  @ListField(String, NICKNAMES)
  readonly nicknames?: string[];
}
