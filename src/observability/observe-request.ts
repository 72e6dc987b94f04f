import { randomUUID } from 'node:crypto';

import type { RawBodyRequest } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import type { PinoLogger } from 'nestjs-pino';

import type { Config } from '../config/config.js';
import { messageOf } from '../domain/errors.js';
import { clientAddressOf } from '../http/client-address.js';
import { assertValidHost } from '../http/service-address.js';
import type { CallerRequest } from '../http/find-request.js';
import { headersOf } from '../http/response-headers.js';
import { MAX_REQUEST_ID_LENGTH } from '../limits.js';
import { requestDuration, requestsInFlight } from '../metrics.js';
import { requestIds } from './logs/log.module.js';

/** The request ids of clients that the service accepts: short, and without special characters. */
const SANE_REQUEST_ID = new RegExp(String.raw`^[\w.:=+/-]{1,${MAX_REQUEST_ID_LENGTH}}$`);

/**
 * Creates the first middleware. It assigns each request an id, which `X-Request-Id` returns, and rejects an invalid Host.
 * When the response is closed, it logs one line and measures the request. pino-http would create a logger per request,
 * which takes about half of a request's CPU time.
 */
export function observeRequest(logger: PinoLogger, config: Config): RequestHandler {
  const headers = Object.entries(headersOf(config));
  const isMeasured = config.metricsPort !== undefined;
  const isLogged = logger.logger.isLevelEnabled('info');
  return (request, response, next) => {
    const requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    for (const [name, value] of headers) response.setHeader(name, value);
    if (isMeasured) requestsInFlight.inc();
    const startedAt = performance.now();
    // A connection that is closed has no address.
    const clientAddress = isLogged ? clientAddressOf(request) : undefined;
    const observe = () => {
      const durationMs = performance.now() - startedAt;
      const isHealthCheck = routeOf(request)?.startsWith('/health/') ?? false;
      if (isLogged) {
        const line = { requestId, clientAddress, ...lineOf(durationMs, request, response) };
        if (isHealthCheck) logger.debug(line, 'request');
        else logger.info(line, 'request');
      }
      if (isMeasured) requestsInFlight.dec();
      if (isMeasured && !isHealthCheck)
        requestDuration.observe(labelsOf(request, response), durationMs / 1000);
    };
    if (isLogged || isMeasured) response.once('close', observe);
    // Another middleware would take a microsecond and 0.8 KB of each request.
    assertValidHost(request);
    // In this context, all lines of the log have the id, and `PinoLogger.assign` adds fields to them.
    logger.runInContext(() => requestIds.run(requestId, next));
  };
}

function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

/** Returns the template of the route of a request, such as `/v1/pets/:petId`. That of a team can be a RegExp or a list. */
function routeOf({ route }: Request): string | undefined {
  return (route as { path: unknown } | undefined)?.path?.toString();
}

function statusOf({ headersSent, statusCode }: Response): number | null {
  return headersSent ? statusCode : null;
}

/** The line contains the template of the route instead of the URL, so that it contains no data of the client. */
function lineOf(durationMs: number, request: Request, response: Response): object {
  // After the guards that find its caller and read its body.
  const { caller, rawBody } = request as RawBodyRequest<CallerRequest>;
  const { 'content-length': requestBytes = 0 } = request.headers;
  const responseBytes = request.method === 'HEAD' ? 0 : response.getHeader('content-length');
  return {
    method: request.method,
    route: routeOf(request) ?? null,
    status: statusOf(response),
    reason: response.err && messageOf(response.err),
    durationMs: Math.round(durationMs * 1000) / 1000,
    accountId: caller?.account.id.toString(),
    keyId: caller?.keyId.toString(),
    requestBytes: rawBody?.length ?? (request.complete ? Number(requestBytes) : 0),
    responseBytes: Number(responseBytes ?? 0),
    ...(!response.writableFinished && { aborted: true }),
  };
}

/** The methods that labels name. Clients can invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients cannot choose labels: a route is a template. */
function labelsOf(request: Request, response: Response) {
  const { method } = request;
  return {
    method: METHODS.has(method) ? method : 'other',
    route: routeOf(request) ?? 'other',
    status: statusOf(response) ?? 'none',
  };
}
