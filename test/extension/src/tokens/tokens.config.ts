import { registerAs } from '@nestjs/config';
import { str, url } from 'envalid';
import { readEnvironment } from 'petstore';

/** Which access tokens the service accepts. */
export const tokensConfig = registerAs('tokens', () => {
  const env = readEnvironment(process.env, { JWKS_URL: url(), TOKEN_ISSUER: str(), TOKEN_AUDIENCE: str() });
  return { jwksUrl: env.JWKS_URL, issuer: env.TOKEN_ISSUER, audience: env.TOKEN_AUDIENCE };
});
