import { NotFound } from '../domain/errors.js';

/** There is no parked message with this id. */
export class MessageNotParked extends NotFound {
  constructor(id: string) {
    super(`There is no parked message with the id ${id}.`);
  }
}
