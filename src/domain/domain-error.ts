import type { ErrorCode } from './error-codes.js';

/**
 * An error that the service reports to the client: a code, which implies the HTTP status, and a public message. The
 * `cause` is logged only.
 */
export abstract class DomainError extends Error {
  /** Headers that go out with the answer, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>> = {};

  protected constructor(
    readonly code: ErrorCode,
    publicMessage: string,
    cause?: unknown,
  ) {
    super(publicMessage, { cause });
    this.name = new.target.name;
  }
}

/** The request itself is wrong; the message says which part, and why. */
export class InvalidRequest extends DomainError {
  constructor(publicMessage: string, cause?: unknown) {
    super('invalid_request', publicMessage, cause);
  }
}

/** The service cannot answer now, and expects to shortly. */
export class Unavailable extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor(cause: unknown) {
    super('unavailable', 'The service cannot answer at the moment. Try again shortly.', cause);
  }
}

/** A fault of the service itself. Nothing of it is shown. */
export class InternalError extends DomainError {
  constructor(cause: unknown) {
    super('internal_error', 'The service failed to answer this request.', cause);
  }
}
