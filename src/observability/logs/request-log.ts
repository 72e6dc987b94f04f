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
      response.once('close', () => {
        if (isHealthCheck(request)) logger.debug(lineOf(requestId, startedAt, request, response), 'request');
        else logger.info(lineOf(requestId, startedAt, request, response), 'request');
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

/** Returns whether a request asks for the health of the service, as load balancers do all the time. */
export function isHealthCheck(request: Request): boolean {
  return routeOf(request)?.startsWith('/health/') ?? false;
}

/** A request, after the guards that found its caller and read its body. */
type LoggedRequest = RawBodyRequest<Request> & {
  readonly caller?: { readonly account: { readonly id: bigint }; readonly keyId: bigint | string };
};

/** The line contains the template of the route instead of the URL, so that it contains no data of the client. */
function lineOf(requestId: string, startedAt: number, request: Request, response: Response): object {
  const { caller, rawBody } = request as LoggedRequest;
  return {
    requestId,
    method: request.method,
    route: routeOf(request) ?? null,
    status: response.statusCode,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    accountId: caller?.account.id.toString(),
    keyId: caller?.keyId.toString(),
    clientAddress: clientAddressOf(request),
    requestBytes: rawBody?.length ?? Number(request.headers['content-length'] ?? 0),
    responseBytes: Number(response.getHeader('content-length') ?? 0),
    ...(!response.writableFinished && { aborted: true }),
  };
}
