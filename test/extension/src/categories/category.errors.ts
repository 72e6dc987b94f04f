import { DomainError } from 'petstore';

/** There is a category of that name. */
export class CategoryExists extends DomainError {
  constructor(name: string) {
    super('conflict', `There is a category with the name ${name}.`);
  }
}
