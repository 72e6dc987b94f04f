import type { NextFunction, Request, Response } from 'express';

import { isHealthCheck, routeOf, statusOf } from '../logs/request-log.js';
import { requestDuration, requestsInFlight } from './metrics.js';

/** Middleware that measures each request, except health checks. */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const stopTimer = requestDuration.startTimer();
  requestsInFlight.inc();
  response.once('close', () => {
    requestsInFlight.dec();
    if (!isHealthCheck(request)) stopTimer(labelsOf(request, response));
  });
  next();
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
