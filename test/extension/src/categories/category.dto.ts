import { CursorParam, Int64Field, LimitParam, NameField } from 'petstore';

/** A kind of animal to add. */
export class NewCategory {
  @NameField({ example: 'Cats', description: 'What people call it.' })
  readonly name!: string;
}

/** A kind of animal. */
export class Category extends NewCategory {
  @Int64Field({ example: 2, description: 'Identifier, assigned by the service.' })
  readonly id!: bigint;
}

/** Which part of the list to return. */
export class ListCategoriesQuery {
  /** How many, at most. */
  @LimitParam()
  readonly limit: number = 20;

  /** The id after which the page starts. */
  @CursorParam()
  readonly after?: bigint;
}
