import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { PinoLogger } from 'nestjs-pino';

import { traceIds } from '../observability/traces/active-trace.js';
import { newRequestId } from './request-id.js';

/** A client's own request id is taken over when it is short and plain enough to stand in a log. */
const SANE_REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/**
 * Gives every request an id, told in `X-Request-Id`, and writes one log line when it is over. Here every
 * answer gets the one other header that all of them have.
 */
export function logRequests(server: Server, logger: PinoLogger): void {
  const isLogged = logger.logger.isLevelEnabled('info');
  server.prependListener('request', (request, response) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : newRequestId();
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (isLogged) logWhenOver(logger, requestId, request, response);
  });
}

function logWhenOver(
  logger: PinoLogger,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const startedAt = performance.now();
  // The end of an answer is noticed outside of it.
  const ids = traceIds();
  response.once('close', () => {
    logger.info(
      {
        requestId,
        ...ids,
        method: request.method,
        route: routeOf(request),
        status: response.statusCode,
        durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
        ...(response.writableFinished ? {} : { aborted: true }),
      },
      'request',
    );
  });
}

/** The template of the route that took the request, so that no client's data gets into the log. */
function routeOf(request: IncomingMessage & { route?: { path: string } }): string | null {
  return request.route?.path ?? null;
}
