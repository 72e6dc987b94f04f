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

/** The key is valid, but lacks the scope of the operation. The challenge follows RFC 6750, section 3.1. */
export class InsufficientScope extends DomainError {
  override readonly headers;

  constructor(scope: string) {
    super('forbidden', `The key lacks the scope ${scope}.`);
    this.headers = {
      'WWW-Authenticate': `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`,
    };
  }
}

/** Nobody makes accounts here but the operator. */
export class SignupClosed extends DomainError {
  /** @param contact whom to ask for an account; undefined: nobody is named */
  constructor(contact: string | undefined) {
    super(
      'forbidden',
      `Accounts are made by the operator of this service. Ask ${contact ?? 'the operator'} for one.`,
    );
  }
}

/** The service takes keys that are not its own. */
export class KeysMadeElsewhere extends DomainError {
  constructor() {
    super('forbidden', 'The keys of this service are made and revoked elsewhere.');
  }
}

/** The account has as many keys in force as it may have. */
export class TooManyKeys extends DomainError {
  constructor(maxKeys: number) {
    super('conflict', `The account has ${maxKeys} keys in force, the most it may have. Revoke one first.`);
  }
}

/** The account has no such key. */
export class KeyNotFound extends DomainError {
  constructor(id: bigint | string) {
    super('not_found', `There is no key in force with the id ${id}.`);
  }
}
