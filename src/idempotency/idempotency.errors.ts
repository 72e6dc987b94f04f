import { DomainError, InvalidRequest } from '../domain/domain-error.js';

/** The text is none that an Idempotency-Key can be. */
export class InvalidIdempotencyKey extends InvalidRequest {
  constructor() {
    super(
      'Idempotency-Key must be 1 to 255 ASCII characters: in quotes, or bare and without spaces, quotes and commas.',
    );
  }
}

/** Another request with the same Idempotency-Key is still running. */
export class RequestStillRunning extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor() {
    super('conflict', 'A request with this Idempotency-Key is still running.');
  }
}

/** The Idempotency-Key was used before, by another operation or with another body. */
export class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  }
}
