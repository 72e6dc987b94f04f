/** The counters and histograms of this process, in the default registry of prom-client. */

import { Counter, Gauge, Histogram } from 'prom-client';

const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export const requestDuration = new Histogram({
  name: 'petstore_http_request_duration_seconds',
  help: 'The duration of requests, from the end of their headers to the end of their responses.',
  labelNames: ['method', 'route', 'status'],
  buckets: DURATION_BUCKETS,
});

export const requestsInFlight = new Gauge({
  name: 'petstore_http_requests_in_flight',
  help: 'Requests whose response has not ended.',
});

export const statementDuration = new Histogram({
  name: 'petstore_database_statement_duration_seconds',
  help: 'The duration of statements, including the wait for a connection.',
  labelNames: ['statement', 'outcome'],
  buckets: DURATION_BUCKETS,
});

export const batchItems = new Histogram({
  name: 'petstore_batch_items',
  help: 'The number of requests that a batch served. Equal requests for a page count once.',
  labelNames: ['batch'],
  buckets: SIZE_BUCKETS,
});

export const refusals = new Counter({
  name: 'petstore_refusals_total',
  help: 'Requests and connections that were refused, by what was full: a queue, or the memory that clients hold.',
  labelNames: ['by'],
});

export const keyVerifications = new Counter({
  name: 'petstore_key_verifications_total',
  help: 'Verifications of keys, by their source: the cache of the process, or the verifier.',
  labelNames: ['source'],
});

export const deliveryAttempts = new Counter({
  name: 'petstore_message_deliveries_total',
  help: 'Attempts to deliver a message, by outcome. A message is parked when its last attempt fails.',
  labelNames: ['outcome'],
});
