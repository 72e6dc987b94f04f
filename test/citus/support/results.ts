import { writeFileSync } from 'node:fs';

import { figure, machine, table } from '../../support/report.ts';
import type { Cost } from './cost.ts';
import { SHARD_COUNT } from './store.ts';

/** The outcomes of the requests during outages. */
export interface Fault {
  fault: string;
  requests: number;
  acknowledged: number;
  lost: number;
  wrong: number;
  unavailable: number;
  slowestMs: number;
  recoveryMs: number;
}

const REPORT = 'test/citus/results.md';

/** Writes the results of a complete run. */
export function publish(faults: readonly Fault[], costs: readonly Cost[], versions: string): void {
  const text = [
    '# The service on Citus',
    `Written by \`npm run test:citus\`, which also runs all other tests on Citus. A coordinator and two workers, ` +
      `${SHARD_COUNT} shards per table. The service, its clients and all three servers share one machine, so more ` +
      'workers do not make anything faster here.',
    `${new Date().toISOString().slice(0, 10)} · ${machine()} · ${versions}`,
    '## Outages',
    'A server and all of its processes are killed with SIGKILL while 64 clients create and read.',
    table(
      ['fault', 'requests', 'acknowledged', 'lost', 'wrong', '503', 'slowest answer, ms', 'recovery, ms'],
      faults.map(({ fault, requests, acknowledged, lost, wrong, unavailable, slowestMs, recoveryMs }) => [
        fault,
        ...[requests, acknowledged, lost, wrong, unavailable, slowestMs, recoveryMs].map(figure),
      ]),
    ),
    '**Lost** are acknowledged animals, orders and messages that are missing at the end. **Wrong** are answers that ' +
      'contradict what was acknowledged, and errors other than 503 with `Retry-After`. **Recovery** is the longest ' +
      'time from the start of the server until all clients succeeded again.',
    '## Cost',
    'Requests per second at 64 connections: the service on a single PostgreSQL, and on Citus.',
    table(
      ['request', 'PostgreSQL', 'Citus', 'ratio'],
      costs.map(({ what, postgres, citus }) => [
        what,
        figure(postgres),
        figure(citus),
        (citus / postgres).toFixed(2),
      ]),
    ),
  ];
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}
