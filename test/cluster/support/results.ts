import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

import { AGREEMENT, POSTGRES } from './node.ts';

/** What a change of the leader cost. */
export interface Change {
  what: string;
  from: string;
  to: string;
  /** The longest time in which no write was acknowledged, and in which no read was answered. */
  writesMs: number;
  readsMs: number;
}

/** What became of all that clients sent. */
export interface Totals {
  requests: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  wrong: number;
  unavailable: number;
  repeated: number;
  replayed: number;
  slowestMs: number;
}

const REPORT = 'test/cluster/results.md';

/** Writes what a whole run saw. */
export function publish(changes: Change[], totals: Totals, versions: string): void {
  const cpu = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const agreement = Object.entries({ ...AGREEMENT, ...POSTGRES }).map(
    ([name, value]) => `\`${name}: ${value}\``,
  );
  const text = [
    '# The service on a cluster whose leader changes',
    'Written by `npm run test:cluster`: three PostgreSQL under Patroni, which agree by etcd, HAProxy in front of ' +
      'their leader, and two processes of the service. 32 clients create and read on both, and repeat each request ' +
      'on the other process until it succeeds, each write under an `Idempotency-Key` of its own. **Without service** ' +
      'is the longest time in which none of them had a write acknowledged, or a read answered. **Killed** is the ' +
      'leader: its Patroni, its PostgreSQL and all of its processes, at once, by SIGKILL.',
    `${new Date().toISOString().slice(0, 10)} · ${cpu}, all of it on this one machine · ${versions}`,
    `The cluster's settings: ${agreement.join(', ')}. HAProxy asks each node every 500 ms.`,
    table(
      3,
      ['leader', 'from', 'to', 'without writes, ms', 'without reads, ms'],
      changes.map(({ what, from, to, writesMs, readsMs }) => [
        what,
        from,
        to,
        figure(writesMs),
        figure(readsMs),
      ]),
    ),
    table(0, Object.keys(totals).map(headOf), [Object.values(totals).map(figure)]),
    '**Lost** are acknowledged animals, orders and messages that are missing at the end, **doubled** those that are ' +
      'stored more often than they were sent, **wrong** every answer that must not be: one that contradicts what was ' +
      'acknowledged, any status but success, 409 while the first try is running, and 503 with `Retry-After`, or none ' +
      'within 20 seconds. **Repeated** are requests that were sent once more, **replayed** the answers that said so: ' +
      'the first try had been done, and its answer was lost.',
  ];
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}

/** A table in Markdown, whose first columns are texts, and the others figures. */
function table(texts: number, heads: string[], rows: string[][]): string {
  return [heads, heads.map((_, index) => (index < texts ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const headOf = (name: string) => (name === 'slowestMs' ? 'slowest answer, ms' : name);

const figure = (value: number) => Math.round(value).toLocaleString('en');
