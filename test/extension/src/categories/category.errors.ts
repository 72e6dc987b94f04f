import { DomainError } from 'petstore';

/** A category with this name exists. */
export class CategoryExists extends DomainError {
  constructor(name: string) {
    super('conflict', `There is a category with the name ${name}.`);
  }
}
