import { DomainError } from '../domain/domain-error.js';

/** Checks of the service fail, so that it should get no requests. */
export class NotReady extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor(failed: readonly string[], cause: unknown) {
    super('unavailable', `The service is not ready. These checks fail: ${failed.join(', ')}.`, cause);
  }
}
