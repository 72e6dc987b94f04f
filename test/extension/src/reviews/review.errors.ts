import { DomainError } from 'petstore';

declare module 'petstore' {
  interface ErrorCodes {
    review_rejected: 422;
  }
}

/** The text of the review looks like an advertisement. */
export class ReviewRejected extends DomainError {
  constructor() {
    super('review_rejected', 'The review looks like an advertisement.');
  }
}
