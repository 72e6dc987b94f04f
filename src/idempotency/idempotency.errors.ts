import { Conflict, DomainError, InvalidRequest } from '../domain/errors.js';

/** The header is not a valid Idempotency-Key. */
export class InvalidIdempotencyKey extends InvalidRequest {
  constructor() {
    super(
      'Idempotency-Key must be 1 to 255 ASCII characters: in quotes, or bare and without spaces, quotes and commas.',
    );
  }
}

/** Another request with the same Idempotency-Key is in progress. */
export class RequestInProgress extends Conflict {
  constructor() {
    super('Another request with this Idempotency-Key is in progress.', { headers: { 'Retry-After': '1' } });
  }
}

/** The Idempotency-Key was used with another URL or body. */
export class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 422, 'This Idempotency-Key was used for another request.');
  }
}
