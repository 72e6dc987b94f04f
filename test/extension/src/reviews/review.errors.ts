import { DomainError } from 'petstore';

/** The text of the review looks like an advertisement. */
export class ReviewRejected extends DomainError {
  constructor() {
    super('invalid_request', 'The review looks like an advertisement.');
  }
}
