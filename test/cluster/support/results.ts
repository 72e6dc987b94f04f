import { writeFileSync } from 'node:fs';

import { circumstances, figure, table } from '../../support/report.ts';
import { AGREEMENT, POSTGRES } from './node.ts';

/** The effects of a change of the leader. */
export interface Change {
  what: string;
  from: string;
  to: string;
  /** The longest times without an acknowledged write, and without a response to a read. */
  writesMs: number;
  readsMs: number;
}

/** The outcome of all requests. */
export interface Totals {
  requests: number;
  acknowledged: number;
  lost: number;
  duplicates: number;
  wrong: number;
  unavailable: number;
  replayed: number;
  slowestMs: number;
}

const REPORT = 'test/cluster/results.md';

/** Writes the results of a run. */
export function publish(changes: Change[], totals: Totals, versions: Record<string, string>): void {
  const agreement = Object.entries({ ...AGREEMENT, ...POSTGRES }).map(
    ([name, value]) => `\`${name}: ${value}\``,
  );
  const text = [
    '# The service on a cluster whose leader changes',
    '`npm run test:cluster` writes this file. The cluster has three PostgreSQL servers with Patroni and etcd, HAProxy ' +
      'in front of the leader, and two processes of the service. 32 clients create and read on both processes. They ' +
      'send each request to the other process than the last one, and repeat each write with its own `Idempotency-Key` until it succeeds. ' +
      '**Without writes** and **without reads** are the longest times without an acknowledged write and without an ' +
      'answered read. **Killed** means that SIGKILL ended Patroni and all processes of PostgreSQL on the leader.',
    `${circumstances(versions)}. All of it runs on this one machine.`,
    `The cluster's settings: ${agreement.join(', ')}. HAProxy checks each node every 500 ms.`,
    table(
      ['leader', 'from', 'to', 'without writes, ms', 'without reads, ms'],
      changes.map(({ what, from, to, writesMs, readsMs }) => [
        what,
        from,
        to,
        figure(writesMs),
        figure(readsMs),
      ]),
      3,
    ),
    table(Object.keys(totals).map(headOf), [Object.values(totals).map(figure)], 0),
    '**Lost** counts the acknowledged animals, orders and messages that are missing at the end, **duplicates** those ' +
      'that are stored more often than they were sent, and **wrong** the responses that contradict an acknowledgement, ' +
      'take longer than 20 seconds, or have an unexpected status. Expected are a success, 409 while the first attempt ' +
      'is in progress, and 503 with `Retry-After`: **unavailable**. **Replayed** counts the writes whose first attempt took ' +
      'effect although its response was lost.',
  ];
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}

const headOf = (name: string) => (name === 'slowestMs' ? 'slowest response, ms' : name);
