import { DomainError } from '../domain/domain-error.js';

/** No operation lives at the path. */
export class PathNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is nothing at this path.');
  }
}

/** Something lives at the path, but does not take the method (RFC 9110, section 15.5.6). */
export class MethodNotAllowed extends DomainError {
  override readonly headers;

  constructor(allowed: readonly string[]) {
    super('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
    this.headers = { Allow: allowed.join(', ') };
  }
}

/** The body is larger than the service reads. */
export class PayloadTooLarge extends DomainError {
  constructor(limitBytes: number) {
    super('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
  }
}
