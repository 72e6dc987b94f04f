import express, { type Express, type Request } from 'express';

import { bigintReplacer } from '../domain/json.js';
import { JoinedRequest } from './joined-request.js';

/** Creates the Express application: exact paths, exact integers in JSON, and no `X-Powered-By`. */
export function createExpress(): Express {
  const app = express();
  // Express gives each request the prototype `app.request`, which would not have the methods of the class.
  app.request = Object.create(JoinedRequest.prototype, {
    ...Object.getOwnPropertyDescriptors(express.request),
    ...Object.getOwnPropertyDescriptors(app.request),
  }) as Request;
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('json replacer', bigintReplacer);
  return app;
}
