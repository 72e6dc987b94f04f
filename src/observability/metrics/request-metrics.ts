import type { NextFunction, Request, Response } from 'express';

import { requestDuration, requestsInFlight } from './metrics.js';

/** Middleware that measures each request. */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const stopTimer = requestDuration.startTimer();
  requestsInFlight.inc();
  response.once('close', () => {
    requestsInFlight.dec();
    stopTimer(labelsOf(request, response));
  });
  next();
}

/** The methods that labels name. Clients can invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients cannot choose labels: a route is a template. */
function labelsOf({ method, route }: Request, { statusCode: status }: Response) {
  const { path = 'other' } = (route ?? {}) as { path?: string };
  return { method: METHODS.has(method) ? method : 'other', route: path, status };
}
