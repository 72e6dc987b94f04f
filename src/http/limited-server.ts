import { createServer, IncomingMessage, type Server } from 'node:http';

import type { Express, Request, Response } from 'express';

import type { Config } from '../config/config.js';
import { listedResponse } from './listed-response.js';

/** How often Node looks for requests that take too long. */
const CHECK_INTERVAL_MS = 1000;

/**
 * Makes a server for an Express application that holds the limits of the configuration. A connection beyond the maximum is closed
 * as soon as it is made: no request was read that an answer could be about.
 */
export function createLimitedServer(config: Config, app: Express): Server {
  const server = createServer(
    {
      ...classesOf(app),
      maxHeaderSize: config.headersLimitBytes,
      headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      keepAliveTimeout: config.keepAliveTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // A request without a body need not wait for its end. It is never told when its client goes away; the answer is.
      optimizeEmptyRequests: true,
    },
    app,
  );
  server.maxConnections = config.maxConnections;
  return server;
}

/**
 * Classes for requests and answers that are from the start what Express would turn each of them into:
 * to change an object's prototype costs a tenth of a request's time.
 */
function classesOf(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as Request;
  const ExpressResponse = listedResponse(app.response);
  app.response = ExpressResponse.prototype as unknown as Response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
