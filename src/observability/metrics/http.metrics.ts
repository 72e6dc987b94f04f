import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { Gauge, Histogram, Registry } from 'prom-client';

import { DURATION_BUCKETS } from './buckets.js';

/** Measures requests. */
@Injectable()
export class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;
  private readonly inFlight: Gauge;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'petstore_http_request_duration_seconds',
      help: 'The duration of requests, from the end of their headers to the end of their responses.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers: [registry],
    });
    this.inFlight = new Gauge({
      name: 'petstore_http_requests_in_flight',
      help: 'Requests whose response has not ended.',
      registers: [registry],
    });
  }

  /** Middleware that measures each request. */
  readonly middleware: RequestHandler = (request, response, next) => {
    const stopTimer = this.duration.startTimer();
    this.inFlight.inc();
    response.once('close', () => {
      this.inFlight.dec();
      stopTimer(labelsOf(request, response));
    });
    next();
  };
}

/** The methods that labels name. Clients can invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients cannot choose labels: a route is a template. */
function labelsOf({ method, route }: Request, { statusCode: status }: Response) {
  const { path = 'other' } = (route ?? {}) as { path?: string };
  return { method: METHODS.has(method) ? method : 'other', route: path, status };
}
