import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const ISSUER = 'https://id.example';
export const AUDIENCE = 'shop';

/** An identity provider that publishes its key and signs tokens. */
export interface IdentityProvider {
  jwksUrl: string;
  /** Returns a token that is valid for an hour, with the given claims. */
  sign(claims: Record<string, unknown>): Promise<string>;
  /** The private key, for tests that sign tokens themselves. */
  privateKey: CryptoKey;
  stop(): void;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] });
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(jwks),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
  return {
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    sign: (claims) =>
      new SignJWT({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: 'till',
        org: 'test',
        scope: 'reviews:write',
        exp: inAnHour(),
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .sign(privateKey),
    privateKey,
    stop: () => {
      server.close().closeAllConnections();
    },
  };
}
