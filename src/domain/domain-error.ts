import { type ErrorCode, STATUS_OF_CODE } from './error-codes.js';

/**
 * Something a client is told about: a code of the published table, the status that goes with it,
 * and a text that is safe to show. What must stay inside goes into `cause`, which is only logged.
 */
export abstract class DomainError extends Error {
  readonly status: number;

  /** Headers that go out with the answer, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>> = {};

  protected constructor(
    readonly code: ErrorCode,
    publicMessage: string,
    cause?: unknown,
  ) {
    super(publicMessage, { cause });
    this.name = new.target.name;
    this.status = STATUS_OF_CODE[code];
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
