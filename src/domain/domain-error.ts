import type { ErrorCode } from './error-codes.js';

/**
 * An error that the service reports to the client: a code, which implies the HTTP status, and a public message. The
 * `cause` is logged only.
 */
export abstract class DomainError extends Error {
  /** Headers of the response, such as Retry-After. */
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
