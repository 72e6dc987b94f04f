import { randomUUID } from 'node:crypto';

import type { RawBodyRequest } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import type { PinoLogger } from 'nestjs-pino';

import { clientAddressOf } from '../../http/client-address.js';
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
      // A connection that is closed has no address.
      const clientAddress = clientAddressOf(request);
      response.once('close', () => {
        const line = { requestId, clientAddress, ...lineOf(startedAt, request, response) };
        if (isHealthCheck(request)) logger.debug(line, 'request');
        else logger.info(line, 'request');
      });
    }
    next();
  };
}

function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

/** Returns the template of the route of a request, such as `/v1/pets/:petId`. */
export function routeOf({ route }: Request): string | undefined {
  return (route as { path: string } | undefined)?.path;
}

/** Returns the status of a response, or null if the connection was closed before it. */
export function statusOf({ headersSent, statusCode }: Response): number | null {
  return headersSent ? statusCode : null;
}

/** Returns whether a request asks for the health of the service, as load balancers do all the time. */
export function isHealthCheck(request: Request): boolean {
  return routeOf(request)?.startsWith('/health/') ?? false;
}

/** A request, after the guards that found its caller and read its body. */
type LoggedRequest = RawBodyRequest<Request> & {
  readonly caller?: { readonly account: { readonly id: bigint }; readonly keyId: bigint | string };
};

/** The line contains the template of the route instead of the URL, so that it contains no data of the client. */
function lineOf(startedAt: number, request: Request, response: Response): object {
  const { caller, rawBody } = request as LoggedRequest;
  const { 'content-length': requestBytes = 0 } = request.headers;
  const responseBytes = request.method === 'HEAD' ? 0 : response.getHeader('content-length');
  return {
    method: request.method,
    route: routeOf(request) ?? null,
    status: statusOf(response),
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    accountId: caller?.account.id.toString(),
    keyId: caller?.keyId.toString(),
    requestBytes: rawBody?.length ?? (request.complete ? Number(requestBytes) : 0),
    responseBytes: Number(responseBytes ?? 0),
    ...(!response.writableFinished && { aborted: true }),
  };
}
