import { parse, type ParsedUrlQuery } from 'node:querystring';

import express, { type Express, type Request } from 'express';

import { bigintReplacer } from '../domain/json.js';
import { InvalidRequest } from '../domain/errors.js';
import { MAX_QUERY_PARAMETERS } from '../limits.js';
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
  app.set('query parser', parseQuery);
  return app;
}

/** @throws InvalidRequest when there are too many parameters. The option `maxKeys` would ignore the last ones */
function parseQuery(query: string | null): ParsedUrlQuery {
  if (query === null) return {};
  if (query.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) {
    throw new InvalidRequest(`A request must have at most ${MAX_QUERY_PARAMETERS} query parameters.`);
  }
  return parse(query, '&', '=', { maxKeys: 0 });
}
