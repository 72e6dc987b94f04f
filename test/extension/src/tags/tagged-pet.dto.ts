import { ListField, NewPet, Pet } from 'petstore';

const TAGS = {
  maxItems: 10,
  maxItemLength: 40,
  required: false,
  example: ['calm'],
  description: 'Words by which customers find the animal.',
};

/** An animal to add, with tags. */
export class NewTaggedPet extends NewPet {
  @ListField(String, TAGS)
  readonly tags?: string[];
}

/** An animal of the store, with tags. */
export class TaggedPet extends Pet {
  @ListField(String, TAGS)
  readonly tags?: string[];
}
