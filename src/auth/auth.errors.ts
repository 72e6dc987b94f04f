import { Conflict, Forbidden } from '../domain/errors.js';

/** The token is valid, but lacks the scope of the operation (RFC 6750, section 3.1). Only tokens of a team have scopes. */
export class InsufficientScope extends Forbidden {
  constructor(scope: string) {
    const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
    super(`The token lacks the scope ${scope}.`, { headers });
  }
}

/** The operator has disabled self-service sign-up. */
export class SignupClosed extends Forbidden {
  /** @param contact the contact for new accounts */
  constructor(contact = 'the operator') {
    super(`The operator of this service creates the accounts. Ask ${contact} for one.`);
  }
}

/** The account has the maximum number of active keys. */
export class TooManyKeys extends Conflict {
  constructor(maxKeys: number) {
    super(`The account has ${maxKeys} active keys, which is the maximum. Revoke one first.`);
  }
}
