import { DomainError, InvalidRequest } from '../domain/domain-error.js';

/** The header is not a valid Idempotency-Key. */
export class InvalidIdempotencyKey extends InvalidRequest {
  constructor() {
    super(
      'Idempotency-Key must be 1 to 255 ASCII characters: in quotes, or bare and without spaces, quotes and commas.',
    );
  }
}

/** The operation does not support an Idempotency-Key. */
export class IdempotencyKeyNotSupported extends InvalidRequest {
  constructor() {
    super('This operation does not support an Idempotency-Key.');
  }
}

/** Another request with the same Idempotency-Key is in progress. */
export class RequestInProgress extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor() {
    super('conflict', 'Another request with this Idempotency-Key is in progress.');
  }
}

/** The Idempotency-Key was used with another URL or body. */
export class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  }
}
