import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';

/** Request headers that a page may set. */
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'];

/** Response headers that a page may read, in addition to the safelisted ones. */
const EXPOSED_HEADERS = [
  'Allow',
  'Deprecation',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** The time that a browser may cache a preflight: the maximum of all browsers. */
const MAX_AGE_SECONDS = 7200;

/**
 * Lets pages of other origins call the service, by the CORS protocol of the Fetch standard. It answers preflights for
 * every path, so that a page can read the 404 of its request.
 */
export function allowOrigins(app: NestExpressApplication, origins: string[]): void {
  const options = {
    origin: origins,
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  app.enableCors(({ headers }: Request, decide: (error: null, decided: object) => void) => {
    // An OPTIONS request that is not a preflight gets the methods of its path.
    const isPreflight = headers['access-control-request-method'] !== undefined;
    decide(null, { ...options, preflightContinue: !isPreflight });
  });
}
