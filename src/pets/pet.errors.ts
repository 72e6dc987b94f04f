import { NotFound } from '../domain/errors.js';

/** There is no animal with this id. */
export class PetNotFound extends NotFound {
  constructor(id: bigint | string) {
    super(`There is no animal with the id ${id}.`);
  }
}
