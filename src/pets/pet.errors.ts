import { DomainError } from '../domain/domain-error.js';

/** There is no animal with this id. */
export class PetNotFound extends DomainError {
  constructor(id: bigint | string) {
    super('not_found', `There is no animal with the id ${id}.`);
  }
}
