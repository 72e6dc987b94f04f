import { AfterParameter, Int64Field, LimitParameter, NameField } from 'petstore';

/** A kind of animal to add. */
export class NewCategory {
  /** What people call it. */
  @NameField({ example: 'Cats' })
  readonly name!: string;
}

/** A kind of animal. */
export class Category extends NewCategory {
  /** Identifier, assigned by the service. */
  @Int64Field({ example: 2 })
  readonly id!: bigint;
}

/** Which part of the list to return. */
export class ListCategoriesQuery {
  /** How many, at most. */
  @LimitParameter()
  readonly limit: number = 20;

  /** The id after which the page starts. */
  @AfterParameter()
  readonly after?: bigint;
}
