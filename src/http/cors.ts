import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';

/** The time that a browser may cache a preflight: the maximum of all browsers. */
const MAX_AGE_SECONDS = 7200;

/** Lets pages of other origins call the service, by the CORS protocol of the Fetch standard. */
export function allowOrigins(app: NestExpressApplication, origins: string[]): void {
  app.enableCors(({ headers }: Request, callback) => {
    callback(null, {
      origin: origins,
      // A page may send any header, which its preflight names, and read any.
      exposedHeaders: '*',
      maxAge: MAX_AGE_SECONDS,
      // Other requests with the method OPTIONS get the methods of their path.
      preflightContinue: headers['access-control-request-method'] === undefined,
    });
  });
}
