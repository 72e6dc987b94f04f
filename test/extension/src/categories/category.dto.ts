import { CursorParam, Int64Field, LimitParam, NameField } from 'petstore';

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

/** The page to return. */
export class ListCategoriesQuery {
  /** The maximum number of categories. */
  @LimitParam()
  readonly limit: number = 20;

  /** The cursor: the id after which the page starts. */
  @CursorParam()
  readonly after?: bigint;
}
