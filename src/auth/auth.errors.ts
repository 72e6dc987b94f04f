import { DomainError } from '../domain/domain-error.js';

/** The request carries no valid API key. The challenge follows RFC 6750, section 3. */
export class Unauthorized extends DomainError {
  override readonly headers;

  private constructor(publicMessage: string, challenge: string) {
    super('unauthorized', publicMessage);
    this.headers = { 'WWW-Authenticate': challenge };
  }

  static missingKey(): Unauthorized {
    return new Unauthorized('Send an API key: Authorization: Bearer <API_KEY>.', 'Bearer realm="petstore"');
  }

  static invalidKey(): Unauthorized {
    return new Unauthorized('The API key is not valid.', 'Bearer realm="petstore", error="invalid_token"');
  }
}

/** The account has no such key. */
export class KeyNotFound extends DomainError {
  constructor(id: bigint | string) {
    super('not_found', `There is no key in force with the id ${id}.`);
  }
}
