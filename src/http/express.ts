import { parse, type ParsedUrlQuery } from 'node:querystring';

import { BadRequestException } from '@nestjs/common';
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
  app.set('query parser', parseQuery);
  app.set('trust proxy', config.trustProxy ?? false);
  app.set(PUBLIC_URL, config.publicUrl);
  return app;
}

/** The maximum number of query parameters. The time of class-transformer grows with the square of their number. */
const MAX_PARAMETERS = 500;

/** @throws BadRequestException when there are too many parameters. The option `maxKeys` would ignore the last ones */
function parseQuery(query: string | null): ParsedUrlQuery {
  if (query === null) return {};
  if (query.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new BadRequestException(`A request must have at most ${MAX_PARAMETERS} query parameters.`);
  }
  return parse(query, '&', '=', { maxKeys: 0 });
}
