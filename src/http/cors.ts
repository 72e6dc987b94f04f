import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response, Router } from 'express';

import { sendNoContent } from './fallback-routes.js';

/** The time that a browser may cache a preflight: the maximum of all browsers. */
const MAX_AGE_SECONDS = 7200;

/**
 * Lets pages of other origins call the service, by the CORS protocol of the Fetch standard. Preflights have no key, so
 * they skip all routes but the fallback ones. On an unknown path, too, they get 204, so that a page can read the 404.
 */
export function allowOrigins(app: NestExpressApplication, origins: string[], fallback: Router): void {
  app.enableCors({
    origin: origins,
    // A page may send any header, which its preflight names, and read any.
    exposedHeaders: '*',
    maxAge: MAX_AGE_SECONDS,
    preflightContinue: true,
  });
  app.use((request: Request, response: Response, next: NextFunction) => {
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || request.method !== 'OPTIONS') next();
    else fallback(request, response, () => sendNoContent(response));
  });
}
