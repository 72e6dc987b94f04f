import { randomUUID } from 'node:crypto';

import type { Request, RequestHandler, Response } from 'express';
import type { PinoLogger } from 'nestjs-pino';

import { MAX_REQUEST_ID_LENGTH } from '../../limits.js';

/** The request ids of clients that the service accepts: short, and without special characters. */
const SANE_REQUEST_ID = new RegExp(String.raw`^[\w.:=+/-]{1,${MAX_REQUEST_ID_LENGTH}}$`);

/**
 * Creates the first middleware. It assigns each request an id, which `X-Request-Id` returns, and logs one line when the
 * response is closed. pino-http would create a logger per request, which takes about half of a request's CPU time.
 */
export function requestLog(logger: PinoLogger): RequestHandler {
  const isLogged = logger.logger.isLevelEnabled('info');
  return (request, response, next) => {
    const requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    if (isLogged) {
      const startedAt = performance.now();
      response.once('close', () => logger.info(lineOf(requestId, startedAt, request, response), 'request'));
    }
    next();
  };
}

function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

/** The line contains the template of the route instead of the URL, so that it contains no data of the client. */
function lineOf(requestId: string, startedAt: number, request: Request, response: Response): object {
  const { path: route } = (request.route ?? {}) as { path?: string };
  return {
    requestId,
    method: request.method,
    route: route ?? null,
    status: response.statusCode,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    ...(!response.writableFinished && { aborted: true }),
  };
}
