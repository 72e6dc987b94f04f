import { ApiErrors, DomainError } from 'petstore';
import { expect, test } from 'vitest';

class ReviewLost extends DomainError {
  constructor() {
    // @ts-expect-error No interface declares this code.
    super('review_lost', 'The review is lost.');
  }
}

test('a code that is not declared does not compile', () => {
  // @ts-expect-error No interface declares this code.
  expect(ApiErrors('review_lost')).toBeTypeOf('function');
  expect(new ReviewLost().code).toBe('review_lost');
});
