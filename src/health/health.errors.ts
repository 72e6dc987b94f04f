import { DomainError } from '../domain/domain-error.js';

/** Readiness checks fail, so the service should receive no requests. */
export class NotReady extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor(failed: readonly string[], cause: unknown) {
    super('unavailable', `The service is not ready. These checks fail: ${failed.join(', ')}.`, cause);
  }
}
