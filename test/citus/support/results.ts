import { readFileSync, writeFileSync } from 'node:fs';

import { circumstances, figure, postgresVersion, table } from '../../support/report.ts';
import { CONNECTIONS, type Cost, type Costs, MORE_SHARDS, type Rates } from './cost.ts';
import type { Total } from './ledgers.ts';
import { citusVersion, SHARD_COUNT } from './store.ts';

/** The requests during an outage. */
export interface Outage extends Total {
  fault: string;
  recoveryMs: number;
}

/** The move from a single PostgreSQL to Citus, a worker more, and the way back. */
interface Move extends Total {
  moves: number;
  animals: number;
  secondsOf: Record<string, number>;
}

interface Results {
  outages: Outage[];
  move: Move;
  costs: Costs[];
  shards: Rates[];
}

type Dated = { [Part in keyof Results]: { on: string; result: Results[Part] } };

const JSON_FILE = 'test/citus/results.json';
const REPORT = 'test/citus/results.md';

/** Formats a measured number. Runs differ in the first digit. */
const rough = (value: number) => figure(Number(value.toPrecision(1)));

const coordinatorOf = ({ servers }: Cost) => servers[0] ?? 0;

const workersOf = ({ servers }: Cost) => servers.slice(1).reduce((sum, time) => sum + time, 0);

/** Writes the results of a test in place of its earlier ones. */
export async function publish(part: Partial<Results>, coordinatorUrl: string): Promise<void> {
  const on = circumstances({
    PostgreSQL: await postgresVersion(coordinatorUrl),
    Citus: await citusVersion(coordinatorUrl),
  });
  const parts = Object.entries(part).map(([name, result]) => [name, { on, result }]);
  const earlier = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as Dated;
  const results = Object.assign(earlier, Object.fromEntries(parts) as Partial<Dated>);
  writeFileSync(JSON_FILE, `${JSON.stringify(results, null, 1)}\n`);
  const text = [
    '# The service on Citus',
    '`npm run test:citus` writes this file, and runs all other tests on Citus. A coordinator and two workers with TLS, ' +
      `${SHARD_COUNT} shards per table. The service, its clients and all servers share one machine, so more workers do ` +
      'not make anything faster here.',
    ...describeOutages(results.outages),
    ...describeMove(results.move),
    ...describeCosts(results.costs),
    ...describeShards(results.shards),
  ];
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}

function describeOutages({ on, result }: Dated['outages']): string[] {
  return [
    '## Outages',
    on,
    'Servers are killed with SIGKILL and stopped with SIGSTOP, all of their processes at once. Three processes of the ' +
      'service, on the coordinator and on each worker, have 20 clients each, which create and read. Each write has an ' +
      '`Idempotency-Key`, and is repeated with it until it succeeds.',
    table(
      ['fault', 'requests', 'acknowledged', 'keys', '503 or 409', 'slowest answer, ms', 'recovery, ms'],
      result.map(({ fault, requests, acknowledged, keys, unavailable, slowestMs, recoveryMs }) => [
        fault,
        ...[requests, acknowledged, keys, unavailable, slowestMs, recoveryMs].map(figure),
      ]),
    ),
    'At the end, each acknowledged animal, order, message and key was there once, and nothing else. No answer contradicted ' +
      'them, and all errors were 503 with `Retry-After`, or 409 while an earlier attempt was in progress. **Recovery** is ' +
      'the longest time from the end of the outage until all clients succeeded again.',
  ];
}

function describeMove({ on, result: { moves, animals, secondsOf, ...counts } }: Dated['move']): string[] {
  const { acknowledged, keys, unavailable, slowestMs } = counts;
  return [
    '## The move from a single PostgreSQL',
    on,
    'The commands of [the sections](../../docs/operations.md#when-one-postgresql-is-outgrown), with roles of their own, while ' +
      '16 clients of each process create and read: first one process, then two, and three with the third worker. Then, the ' +
      `shards of the only account move ${moves} times. Each write has an \`Idempotency-Key\`, and is repeated with it until it ` +
      `succeeds. At the end, there were ${figure(animals)} animals. No acknowledged row and no key was lost, and nothing was ` +
      'stored twice, on the way there and on the way back.',
    table(
      ['step', 'seconds'],
      Object.entries(secondsOf).map(([step, seconds]) => [step, seconds.toFixed(1)]),
    ),
    table(
      ['acknowledged writes', 'keys', '503 or 409 meanwhile', 'slowest answer, ms'],
      [[acknowledged, keys, unavailable, slowestMs].map(figure)],
      0,
    ),
  ];
}

function describeCosts({ on, result: costs }: Dated['costs']): string[] {
  const operations = costs.filter(({ what }) => !what.startsWith('get from'));
  return [
    '## Rates',
    on,
    `Requests per second at ${CONNECTIONS} connections: the service on a single PostgreSQL, and on Citus, where it is ` +
      'connected to the coordinator or to a worker. The ratios are those to PostgreSQL. With other ' +
      'load on the machine, a run had up to twice these ratios and 1.6 times these CPU times, so figures have one digit.',
    table(
      ['request', 'PostgreSQL', 'by the coordinator', 'ratio', 'by a worker', 'ratio'],
      operations.map(({ what, postgres, byCoordinator, byWorker }) => {
        const ratio = (cost: Cost) => (cost.requestsPerSecond / postgres.requestsPerSecond).toFixed(1);
        const [single, coordinator, worker] = [postgres, byCoordinator, byWorker].map((cost) =>
          rough(cost.requestsPerSecond),
        ) as [string, string, string];
        return [what, single, coordinator, ratio(byCoordinator), worker, ratio(byWorker)];
      }),
    ),
    '## CPU time',
    'Microseconds of CPU time per request in the same runs, of all processes of a server. *Entered* is the worker to ' +
      'which the service is connected, *other* the other one. All orders are of one account, so one of the workers has ' +
      'all of them; the animals are on both.',
    table(
      [
        ...['request', 'PostgreSQL: service', 'server'],
        ...['by the coordinator: service', 'coordinator', 'both workers'],
        ...['by a worker: service', 'coordinator', 'entered', 'other'],
      ],
      costs.map(({ what, postgres, byCoordinator, byWorker }) => [
        what,
        ...[postgres.service, ...postgres.servers].map(rough),
        ...[byCoordinator.service, coordinatorOf(byCoordinator), workersOf(byCoordinator)].map(rough),
        ...[byWorker.service, ...byWorker.servers].map(rough),
      ]),
    ),
    'With *n* workers, 1/*n* of the animals are on the entered worker: compare *get from the entered worker* with *get from ' +
      'the other worker*. A first page that many clients read at once shares a statement only with those of its process.',
  ];
}

function describeShards({ on, result }: Dated['shards']): string[] {
  return [
    '## Shards',
    on,
    `Requests per second with ${SHARD_COUNT} and with ${MORE_SHARDS} shards per table, by turns.`,
    table(
      [
        'request',
        ...['by the coordinator', 'by a worker'].flatMap((door) => [
          `${door}, ${SHARD_COUNT}`,
          `${door}, ${MORE_SHARDS}`,
          'ratio',
        ]),
      ],
      result.map(({ what, few, many }) => [
        what,
        ...few.flatMap((cost, door) => {
          const { requestsPerSecond = NaN } = many[door] ?? {};
          const ratio = (requestsPerSecond / cost.requestsPerSecond).toFixed(1);
          return [rough(cost.requestsPerSecond), rough(requestsPerSecond), ratio];
        }),
      ]),
    ),
  ];
}
