import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyOptions } from 'jose';
import { AccountsService, type Caller, KeyVerifier, Unavailable } from 'petstore';

import { tokensConfig } from './tokens.config.js';

/** The sender of a request, with the organisation of the token. */
export interface ShopCaller extends Caller {
  readonly organisation: string;
}

/** Verifies access tokens of the company's identity provider: JSON Web Tokens with a signature by RS256. */
@Injectable()
export class TokenVerifier extends KeyVerifier<ShopCaller> {
  override readonly description = `A key is an access token of the company's identity provider, and
expires as the provider decides. Its requests belong to the account of its organisation.`;

  private readonly keys: ReturnType<typeof createRemoteJWKSet>;
  private readonly expected: JWTVerifyOptions;

  constructor(
    private readonly accounts: AccountsService,
    @Inject(tokensConfig.KEY) { jwksUrl, issuer, audience }: ConfigType<typeof tokensConfig>,
  ) {
    super();
    this.keys = createRemoteJWKSet(new URL(jwksUrl));
    this.expected = { issuer, audience, algorithms: ['RS256'], requiredClaims: ['exp', 'sub', 'org'] };
  }

  /** @throws Unavailable when the provider's keys are unavailable */
  override async findCaller(token: string): Promise<ShopCaller | undefined> {
    const { payload } = (await this.findClaims(token)) ?? {};
    if (payload?.sub === undefined || typeof payload['org'] !== 'string') return undefined;
    return {
      account: await this.accounts.getOrCreate(`org:${payload['org']}`),
      keyId: payload.sub,
      organisation: payload['org'],
      scopes: typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [],
    };
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
