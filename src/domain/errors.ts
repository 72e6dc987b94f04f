/** The headers of the response to an error, and its cause, which is logged only. */
export interface DomainErrorOptions extends ErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that the service reports to the client: a code, the HTTP status of the response, and a public message. */
export abstract class DomainError extends Error {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: string,
    readonly status: number,
    publicMessage: string,
    { headers = {}, ...options }: DomainErrorOptions = {},
  ) {
    super(publicMessage, options);
    this.name = new.target.name;
    this.headers = headers;
  }
}

export class InvalidRequest extends DomainError {
  constructor(publicMessage: string, cause?: unknown) {
    super('invalid_request', 400, publicMessage, { cause });
  }
}

/** The request carries no valid credential. The challenge follows RFC 6750, section 3; the response adds the realm. */
export class Unauthorized extends DomainError {
  private constructor(publicMessage: string, challenge: string) {
    super('unauthorized', 401, publicMessage, { headers: { 'WWW-Authenticate': challenge } });
  }

  /** @param credential what the service expects, such as `API key` */
  static missing(credential: string): Unauthorized {
    const article = /^[AEIO]/i.test(credential) ? 'an' : 'a';
    const header = `Authorization: Bearer <${placeholderOf(credential)}>`;
    return new Unauthorized(`Send ${article} ${credential}: ${header}.`, 'Bearer');
  }

  /** @param credential what the service expects, such as `API key` */
  static invalid(credential: string): Unauthorized {
    return new Unauthorized(`The ${credential} is not valid.`, 'Bearer error="invalid_token"');
  }
}

/** Returns the placeholder of a credential in examples: `API_KEY`. */
export function placeholderOf(credential: string): string {
  return credential.toUpperCase().replaceAll(/\W+/g, '_');
}

/** The caller may not do this. The message contains the reason. */
export class Forbidden extends DomainError {
  constructor(publicMessage: string, options?: DomainErrorOptions) {
    super('forbidden', 403, publicMessage, options);
  }
}

/** Nothing of a kind, such as `animal`, has this id. */
export class NotFound extends DomainError {
  constructor(kind: string, id: bigint | string) {
    super('not_found', 404, `There is no ${kind} with the id ${id}.`);
  }
}

export class Conflict extends DomainError {
  constructor(publicMessage: string, options?: DomainErrorOptions) {
    super('conflict', 409, publicMessage, options);
  }
}

/** The client has exhausted its quota (RFC 6585, section 4). */
export class RateLimited extends DomainError {
  constructor(secondsToWait: number, quotaHeaders: Readonly<Record<string, string>>) {
    super('rate_limited', 429, `Too many requests. Try again in ${secondsToWait} seconds.`, {
      headers: { 'Retry-After': secondsToWait.toString(), ...quotaHeaders },
    });
  }
}

/** An unexpected error of the service. The cause stays private. */
export class InternalError extends DomainError {
  constructor(cause: unknown) {
    super('internal_error', 500, 'The service failed to answer this request.', { cause });
  }
}

/** The service is temporarily unavailable. The cause stays private. */
export class Unavailable extends DomainError {
  constructor(cause: unknown, publicMessage = 'The service cannot answer at the moment. Try again shortly.') {
    super('unavailable', 503, publicMessage, { headers: { 'Retry-After': '1' }, cause });
  }
}

/**
 * Returns the message of anything that was thrown. The message of an AggregateError is in its errors. Never throws,
 * although `message` and `toString` of a value can.
 */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join(', ');
    return String(error instanceof Error ? error.message || error.name : error);
  } catch {
    return 'an error without a readable message';
  }
}
