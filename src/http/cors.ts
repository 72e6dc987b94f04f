import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';

/** Headers of a request that a page may set. */
const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'];

/** Headers of an answer that a page may read, beside those that it always may. */
const ANSWER_HEADERS = [
  'Deprecation',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
];

/** How long a browser may remember what it was allowed: as long as any does. */
const MAX_AGE_SECONDS = 7200;

/**
 * Lets pages of other origins call the service, by the CORS protocol of the Fetch standard. It answers
 * preflights itself, wherever they lead, so that a page gets to see the 404 of its request.
 */
export function allowOrigins(app: NestExpressApplication, origins: string[]): void {
  const options = {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  app.enableCors(({ headers }: Request, decide: (error: null, decided: object) => void) => {
    // An OPTIONS that is no preflight asks what the path takes.
    const isPreflight = headers['access-control-request-method'] !== undefined;
    decide(null, { ...options, preflightContinue: !isPreflight });
  });
}
