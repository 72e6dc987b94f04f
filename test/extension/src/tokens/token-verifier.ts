import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { AccountsService, type Caller, KeyVerifier, Unavailable } from 'petstore';

import { setting } from '../setting.js';

/** Verifies access tokens of the company's identity provider: JSON Web Tokens with a signature by RS256. */
@Injectable()
export class TokenVerifier extends KeyVerifier {
  override readonly description = `A key is an access token of the company's identity provider, and
expires as the provider decides. Its requests belong to the account of its organisation.`;

  private readonly keys = createRemoteJWKSet(new URL(setting('JWKS_URL')));
  private readonly expected = {
    issuer: setting('TOKEN_ISSUER'),
    audience: setting('TOKEN_AUDIENCE'),
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'sub', 'org'],
  };

  constructor(private readonly accounts: AccountsService) {
    super();
  }

  /** @throws Unavailable when the provider's keys are unavailable */
  override async findCaller(token: string): Promise<Caller | undefined> {
    const { payload } = (await this.findClaims(token)) ?? {};
    if (typeof payload?.sub !== 'string' || typeof payload['org'] !== 'string') return undefined;
    return { accountId: await this.accounts.getOrCreate(`org:${payload['org']}`), keyId: payload.sub };
  }

  private async findClaims(token: string) {
    try {
      return await jwtVerify(token, this.keys, this.expected);
    } catch (error) {
      if (REFUSALS.some((refusal) => error instanceof refusal)) return undefined;
      throw new Unavailable(error);
    }
  }
}

/** Returns whether an error is caused by the token, rather than by the provider. */
const REFUSALS = [
  errors.JWTInvalid,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
];
