import { parse as parseQuery } from 'node:querystring';

import express, { type Express } from 'express';

import type { Config } from '../config/config.js';
import { bigintReplacer } from '../domain/json.js';
import { PUBLIC_URL } from './root-url.js';

/** Creates the Express application: exact paths, exact integers in JSON, and no `X-Powered-By`. */
export function createExpress(config: Config): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('json replacer', bigintReplacer);
  // The limit of the headers also limits the number of parameters.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.set('trust proxy', config.trustProxy ?? false);
  app.set(PUBLIC_URL, config.publicUrl);
  return app;
}
