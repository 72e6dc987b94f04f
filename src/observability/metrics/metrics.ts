import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { type Verification, VERIFICATIONS } from '../../auth/keys/key-verification.diagnostics.js';
import {
  BATCHES,
  type BatchRun,
  type Refusal,
  REFUSALS,
  type StatementRun,
  STATEMENTS,
} from '../../database/database.diagnostics.js';
import type { Database } from '../../database/database.js';
import { DELIVERIES, type DeliveryOutcome } from '../../messages/delivery/delivery.diagnostics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What stands for a method or a route that the service does not know: what clients make up makes no metric. */
const OTHER = 'other';

const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * Counts what goes on in this process, in the form of Prometheus, from when it is made until it is stopped.
 * Names and units follow https://prometheus.io/docs/practices/naming/.
 */
export class Metrics {
  private readonly registry = new Registry();

  private readonly duration = new Histogram({
    name: 'petstore_http_request_duration_seconds',
    help: 'How long requests took, from the end of their headers to the end of their answers.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  private readonly inFlight = new Gauge({
    name: 'petstore_http_requests_in_flight',
    help: 'Requests that are being answered.',
    registers: [this.registry],
  });
  private readonly statements = new Histogram({
    name: 'petstore_database_statement_duration_seconds',
    help: 'How long statements took, with the wait for a connection.',
    labelNames: ['statement', 'outcome'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  private readonly batches = new Histogram({
    name: 'petstore_batch_items',
    help: 'How many requests shared a run of a statement.',
    labelNames: ['batch'],
    buckets: SIZES,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'petstore_refusals_total',
    help: 'What was refused because too much was waiting, by what it would have waited for.',
    labelNames: ['by'],
    registers: [this.registry],
  });
  private readonly verifications = new Counter({
    name: 'petstore_key_verifications_total',
    help: 'Looks at keys, by where it was looked: in the memory of the process, or in the database.',
    labelNames: ['source'],
    registers: [this.registry],
  });

  private readonly deliveries = new Counter({
    name: 'petstore_message_deliveries_total',
    help: 'Attempts to deliver a message, by what came of them: parked is one whose last attempt failed.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly statementEvents = {
    start: (run: StatementRun) => void (run.startedAt = performance.now()),
    asyncEnd: (run: StatementRun & { error?: unknown }) =>
      this.statements.observe(
        { statement: run.name, outcome: 'error' in run ? 'failure' : 'success' },
        secondsSince(run.startedAt),
      ),
  };
  private readonly noteBatch = (run: unknown) => {
    const { name, size } = run as BatchRun;
    this.batches.observe({ batch: name }, size);
  };
  private readonly noteRefusal = (refusal: unknown) => this.refusals.inc({ ...(refusal as Refusal) });
  private readonly noteVerification = (verification: unknown) =>
    this.verifications.inc({ ...(verification as Verification) });
  private readonly noteDelivery = (delivery: unknown) =>
    this.deliveries.inc({ ...(delivery as DeliveryOutcome) });
  private readonly noteRequest = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    this.inFlight.inc();
    response.once('close', () => {
      this.inFlight.dec();
      this.duration.observe(labelsOf(request, response), secondsSince(startedAt));
    });
  };

  constructor(
    private readonly server: Server,
    database: Database,
  ) {
    collectDefaultMetrics({ register: this.registry });
    this.measureLoad(database);
    server.prependListener('request', this.noteRequest);
    STATEMENTS.subscribe(this.statementEvents as Parameters<typeof STATEMENTS.subscribe>[0]);
    BATCHES.subscribe(this.noteBatch);
    REFUSALS.subscribe(this.noteRefusal);
    VERIFICATIONS.subscribe(this.noteVerification);
    DELIVERIES.subscribe(this.noteDelivery);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics, in the text format of Prometheus. */
  read(): Promise<string> {
    return this.registry.metrics();
  }

  stop(): void {
    this.server.off('request', this.noteRequest);
    STATEMENTS.unsubscribe(this.statementEvents as Parameters<typeof STATEMENTS.unsubscribe>[0]);
    BATCHES.unsubscribe(this.noteBatch);
    REFUSALS.unsubscribe(this.noteRefusal);
    VERIFICATIONS.unsubscribe(this.noteVerification);
    DELIVERIES.unsubscribe(this.noteDelivery);
  }

  /** Reads the database's load whenever the metrics are read. */
  private measureLoad(database: Database): void {
    new Gauge({
      name: 'petstore_database_connections',
      help: 'Open connections to the database, those in use and those that are free.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const { connections, idleConnections } = database.load;
        this.set({ state: 'active' }, connections - idleConnections);
        this.set({ state: 'idle' }, idleConnections);
      },
    });
    new Gauge({
      name: 'petstore_database_waiting',
      help: 'What waits for its turn at the database, and what has it and waits for a connection.',
      labelNames: ['for'],
      registers: [this.registry],
      collect() {
        const { waitingForTurn, waitingForConnection } = database.load;
        this.set({ for: 'turn' }, waitingForTurn);
        this.set({ for: 'connection' }, waitingForConnection);
      },
    });
  }
}

function labelsOf(request: IncomingMessage & { route?: { path: string } }, { statusCode }: ServerResponse) {
  const { method = OTHER, route } = request;
  return {
    method: METHODS.has(method) ? method : OTHER,
    route: route?.path ?? OTHER,
    status: statusCode,
  };
}

function secondsSince(startedAt = NaN): number {
  return (performance.now() - startedAt) / 1000;
}
