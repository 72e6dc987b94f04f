import { DomainError } from '../domain/domain-error.js';

/** There is no parked message with this id. */
export class MessageNotParked extends DomainError {
  constructor(id: string) {
    super('not_found', `There is no parked message with the id ${id}.`);
  }
}
