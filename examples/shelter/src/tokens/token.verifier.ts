import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { AccountsRepository, type Caller, KeyVerifier, Unavailable } from 'petstore';

import { shelterConfig, type ShelterConfig } from '../shelter.config.js';

/** Verifies access tokens of the company's identity provider: JSON Web Tokens with a signature by RS256. */
@Injectable()
export class TokenVerifier extends KeyVerifier {
  override readonly credential = 'access token';
  override readonly description = `An access token of the company's identity provider expires as the provider decides.
Its requests belong to the account of its organisation.`;

  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly accounts: AccountsRepository,
    @Inject(shelterConfig.KEY) private readonly config: ShelterConfig,
  ) {
    super();
    this.keys = createRemoteJWKSet(new URL(config.JWKS_URL));
  }

  /** @throws Unavailable when the provider's keys are unavailable */
  override async findCaller(token: string): Promise<Caller | undefined> {
    const payload = await this.findPayload(token);
    const { sub, org } = payload ?? {};
    if (sub === undefined || typeof org !== 'string') return undefined;
    return { account: await this.accounts.getOrCreate(`org:${org}`), keyId: sub };
  }

  private async findPayload(token: string) {
    const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience } = this.config;
    const expected = { issuer, audience, algorithms: ['RS256'], requiredClaims: ['exp', 'sub', 'org'] };
    try {
      const { payload } = await jwtVerify<{ org: unknown }>(token, this.keys, expected);
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !OF_PROVIDER.includes(error.code)) return undefined;
      throw new Unavailable(error);
    }
  }
}

/** The errors of the provider's keys, rather than of a token. jose has no class for a response with an error. */
const OF_PROVIDER = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code];
