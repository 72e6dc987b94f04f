import { Conflict, DomainError } from '../domain/errors.js';

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
