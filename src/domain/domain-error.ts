import { type ErrorCode, STATUS_OF_CODE } from './error-codes.js';

/**
 * An error for clients: a published code, its HTTP status, and a public message. `cause` is private and only logged.
 */
export abstract class DomainError extends Error {
  readonly status: number;

  /** Headers of the response, such as Retry-After. */
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

/** The request is invalid. The message describes the error. */
export class InvalidRequest extends DomainError {
  constructor(publicMessage: string, cause?: unknown) {
    super('invalid_request', publicMessage, cause);
  }
}

/** The service is temporarily unavailable. */
export class Unavailable extends DomainError {
  override readonly headers = { 'Retry-After': '1' };

  constructor(cause: unknown) {
    super('unavailable', 'The service cannot answer at the moment. Try again shortly.', cause);
  }
}

/** An unexpected error of the service. The cause stays private. */
export class InternalError extends DomainError {
  constructor(cause: unknown) {
    super('internal_error', 'The service failed to answer this request.', cause);
  }
}
