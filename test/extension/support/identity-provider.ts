import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ISSUER = 'https://id.example';
export const AUDIENCE = 'shelter';

/** An identity provider that publishes its key and signs tokens. */
export interface IdentityProvider {
  jwksUrl: string;
  /** The status of the responses with its key. */
  status: number;
  /** Returns a JSON Web Token (RFC 7519) that is valid for an hour, with the given claims. */
  sign(claims?: Record<string, unknown>): string;
  stop(): void;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }],
  });
  const server = createServer((_request, response) =>
    response.writeHead(provider.status, { 'content-type': 'application/json' }).end(jwks),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const provider: IdentityProvider = {
    status: 200,
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    sign: (claims = {}) => {
      const defaults = { iss: ISSUER, aud: AUDIENCE, sub: 'till', org: 'test' };
      const payload = { ...defaults, exp: Math.floor(Date.now() / 1000) + 3600, ...claims };
      const signed = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(payload)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    stop: () => {
      server.close().closeAllConnections();
    },
  };
  return provider;
}
