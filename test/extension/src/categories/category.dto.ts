import { Int64Field, NameField } from 'petstore';

/** A category to add. */
export class NewCategory {
  @NameField({ example: 'Cats', description: 'The name of the category.' })
  readonly name!: string;
}

/** A category of animals. */
export class Category extends NewCategory {
  @Int64Field({ example: 2, description: 'Identifier, assigned by the service.' })
  readonly id!: bigint;
}
