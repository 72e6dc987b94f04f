import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import {
  type BatchRun,
  type Rejection,
  REJECTIONS,
  RUNS,
  type StatementRun,
  STATEMENTS,
} from '../../database/database.diagnostics.js';
import { Database } from '../../database/database.js';
import { DURATION_BUCKETS } from './buckets.js';

const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

type StatementEvents = Parameters<typeof STATEMENTS.subscribe>[0];

/** Measures statements, batches, rejections and the pool of connections. */
@Injectable()
export class DatabaseMetrics {
  private readonly statements: Histogram<'statement' | 'outcome'>;
  private readonly batches: Histogram<'batch'>;
  private readonly rejections: Counter<'by'>;

  private readonly statementEvents = {
    start: (run: StatementRun) => void (run.startedAt = performance.now()),
    asyncEnd: ({ name, startedAt = NaN, ...rest }: StatementRun) =>
      this.statements.observe(
        { statement: name, outcome: 'error' in rest ? 'failure' : 'success' },
        (performance.now() - startedAt) / 1000,
      ),
  } as StatementEvents;
  private readonly onBatch = (run: unknown) => {
    const { name, size } = run as BatchRun;
    this.batches.observe({ batch: name }, size);
  };
  private readonly onRejection = (rejection: unknown) =>
    this.rejections.inc({ by: (rejection as Rejection).by });

  constructor(registry: Registry, database: Database) {
    this.statements = new Histogram({
      name: 'petstore_database_statement_duration_seconds',
      help: 'The duration of statements, including the wait for a connection.',
      labelNames: ['statement', 'outcome'],
      buckets: DURATION_BUCKETS,
      registers: [registry],
    });
    this.batches = new Histogram({
      name: 'petstore_batch_items',
      help: 'The number of requests that a batch served.',
      labelNames: ['batch'],
      buckets: SIZE_BUCKETS,
      registers: [registry],
    });
    this.rejections = new Counter({
      name: 'petstore_refusals_total',
      help: 'Requests that were rejected because too many were waiting, by the queue that was full.',
      labelNames: ['by'],
      registers: [registry],
    });
    measureLoad(registry, database);
  }

  start(): void {
    STATEMENTS.subscribe(this.statementEvents);
    RUNS.subscribe(this.onBatch);
    REJECTIONS.subscribe(this.onRejection);
  }

  stop(): void {
    STATEMENTS.unsubscribe(this.statementEvents);
    RUNS.unsubscribe(this.onBatch);
    REJECTIONS.unsubscribe(this.onRejection);
  }
}

/** Measures the load of the database when the metrics are read. */
function measureLoad(registry: Registry, database: Database): void {
  new Gauge({
    name: 'petstore_database_connections',
    help: 'Open connections to the database, active and idle.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { connections, idleConnections } = database.load;
      this.set({ state: 'active' }, connections - idleConnections);
      this.set({ state: 'idle' }, idleConnections);
    },
  });
  new Gauge({
    name: 'petstore_database_waiting',
    help: 'Requests that wait for admission to the database, and requests that wait for a connection.',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      const { waitingForTurn, waitingForConnection } = database.load;
      this.set({ for: 'turn' }, waitingForTurn);
      this.set({ for: 'connection' }, waitingForConnection);
    },
  });
}
