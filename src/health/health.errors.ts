import { Unavailable } from '../domain/errors.js';

/** Readiness checks fail, so the service should receive no requests. */
export class NotReady extends Unavailable {
  constructor(failed: readonly string[], cause: unknown) {
    super(cause, `The service is not ready. These checks fail: ${failed.join(', ')}.`);
  }
}
