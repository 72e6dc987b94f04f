import { DomainError } from '../domain/domain-error.js';
import { scopeChallenge } from '../domain/scope-challenge.js';

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

/** The key is valid, but lacks the scope of the operation. */
export class InsufficientScope extends DomainError {
  override readonly headers;

  constructor(scope: string) {
    super('forbidden', `The key lacks the scope ${scope}.`);
    this.headers = { 'WWW-Authenticate': scopeChallenge(scope) };
  }
}

/** The operator has disabled self-service sign-up. */
export class SignupClosed extends DomainError {
  /** @param contact the contact for new accounts. Default: the operator, without an address */
  constructor(contact: string | undefined) {
    super(
      'forbidden',
      `The operator of this service creates the accounts. Ask ${contact ?? 'the operator'} for one.`,
    );
  }
}

/** The service verifies keys that another system issues. */
export class KeysManagedElsewhere extends DomainError {
  constructor() {
    super('forbidden', 'Another system creates and revokes the keys of this service.');
  }
}

/** The account has the maximum number of active keys. */
export class TooManyKeys extends DomainError {
  constructor(maxKeys: number) {
    super('conflict', `The account has ${maxKeys} active keys, which is the maximum. Revoke one first.`);
  }
}

/** The account has no active key with this id. */
export class KeyNotFound extends DomainError {
  constructor(id: bigint | string) {
    super('not_found', `There is no active key with the id ${id}.`);
  }
}
