import { readFileSync, writeFileSync } from 'node:fs';

import { figure, machine, table } from '../../support/report.ts';
import { CONNECTIONS, type Cost, type Costs } from './cost.ts';
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

/** The durations of the move from a single PostgreSQL to Citus, and back. */
export interface Move {
  animals: number;
  restartSeconds: number;
  downSeconds: number;
  distributeSeconds: number;
  backSeconds: number;
}

/** A worker that was added under load, and the moves of shards afterwards. */
export interface Addition {
  moves: number;
  rebalanceSeconds: number;
  keys: number;
  acknowledged: number;
  unavailable: number;
  slowestMs: number;
}

const REPORT = 'test/citus/results.md';
const ADDITION = '## A worker is added';

/** The numbers of machines of the capacity. */
const NODES = [1, 2, 4, 8, 16];

/** Formats a measured number. Runs differ in the third digit. */
const rough = (value: number) => figure(Number(value.toPrecision(2)));

const coordinatorOf = ({ servers }: Cost) => servers[0] ?? 0;

const workersOf = ({ servers }: Cost) => servers.slice(1).reduce((sum, time) => sum + time, 0);

function describeMove({ animals, ...seconds }: Move): string[] {
  const { restartSeconds, downSeconds, distributeSeconds, backSeconds } = seconds;
  return [
    'The commands of [the section](../../docs/operations.md#when-one-postgresql-is-outgrown), while 16 clients create and ' +
      `read, and 32 afterwards. At the end, there were ${figure(animals)} animals. No acknowledged write was lost, on the way there and ` +
      'on the way back.',
    table(
      ['step', 'seconds'],
      [
        ['restart of the servers: until all clients succeeded again', restartSeconds.toFixed(1)],
        ['downtime: from the stop of the service until all clients succeeded again', downSeconds.toFixed(1)],
        ['of which `migrate` and `distribute`', distributeSeconds.toFixed(1)],
        ['the way back: dump, `migrate`, restore', backSeconds.toFixed(1)],
      ],
    ),
  ];
}

/** Returns the requests per second of a number of machines, in bold if the coordinator limits them. */
function capacity(cost: Cost, count: number): string {
  const ofMachines = (count * 1e6) / (cost.service + workersOf(cost));
  const ofCoordinator = 1e6 / coordinatorOf(cost);
  return ofCoordinator < ofMachines ? `**${rough(ofCoordinator)}**` : rough(ofMachines);
}

/** Writes the results of an addition behind those of the other tests. */
export function publishAddition({ moves, rebalanceSeconds, ...counts }: Addition): void {
  const { keys, acknowledged, unavailable, slowestMs } = counts;
  const [others = ''] = readFileSync(REPORT, 'utf8').split(`\n${ADDITION}\n`);
  const text = [
    others.trimEnd(),
    ADDITION,
    'The commands of [the section](../../docs/operations.md#add-a-worker), while 32 clients write and read by the other two ' +
      `workers. Afterwards, 48 clients use all three, and the shards of the only account move ${moves} times. Every write ` +
      'has an `Idempotency-Key`, and is repeated with it until it succeeds. No acknowledged row and no key was lost, and ' +
      `nothing was stored twice. The rebalancing took ${rebalanceSeconds.toFixed(1)} seconds.`,
    table(
      ['acknowledged writes', 'keys', '503 or 409 meanwhile', 'slowest answer, ms'],
      [[acknowledged, keys, unavailable, slowestMs].map(figure)],
    ),
  ];
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}

/** Writes the results of a complete run. */
export function publish(
  faults: readonly Fault[],
  move: Move,
  costs: readonly Costs[],
  versions: string,
): void {
  const operations = costs.filter(({ what }) => !what.startsWith('get from'));
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
    '## The move from a single PostgreSQL',
    ...describeMove(move),
    '## Rates',
    `Requests per second at ${CONNECTIONS} connections: the service on a single PostgreSQL, and on Citus, where it is ` +
      'connected to the coordinator or to a worker. The ratios are those to PostgreSQL.',
    table(
      ['request', 'PostgreSQL', 'by the coordinator', 'ratio', 'by a worker', 'ratio'],
      operations.map(({ what, postgres, byCoordinator, byWorker }) => {
        const ratio = (cost: Cost) => (cost.requestsPerSecond / postgres.requestsPerSecond).toFixed(2);
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
    '## Capacity',
    'Requests per second that follow from the CPU times alone: arithmetic, not run. Disks, networks and locks set lower ' +
      'limits. Each of *n* machines has one core, a ' +
      'process of the service and a worker. The coordinator is on another machine with one core, and so is the single ' +
      'PostgreSQL, for which any number of machines serve. All cores are busy. With the times *s* of the service, *c* of ' +
      'the coordinator and *w* of all workers, the capacity is the smaller of *n* / (*s* + *w*) and 1 / *c*; **bold** is ' +
      'the latter, which further machines do not raise.',
    table(
      [
        'request',
        'PostgreSQL',
        ...NODES.map((count) => `by the coordinator, ${count}`),
        ...NODES.map((count) => `by workers, ${count}`),
      ],
      operations.map(({ what, postgres, byCoordinator, byWorker }) => [
        what,
        rough(1e6 / (postgres.servers[0] ?? 0)),
        ...NODES.map((count) => capacity(byCoordinator, count)),
        ...NODES.map((count) => capacity(byWorker, count)),
      ]),
    ),
    'Three things make the figures for many workers smaller. With *n* workers, 1/*n* of the animals are on the entered ' +
      'worker, and here half of them; all orders are on one worker, whether it is entered or not. Compare *get from the entered worker* with *get from the other worker*. A page asks every ' +
      `shard: these tables have ${SHARD_COUNT}, which *n* workers need at least *n* of, and the time of a page grows with ` +
      'their number. And a first page that many clients read at once shares a statement only with those of its process.',
  ];
  const [, added] = readFileSync(REPORT, 'utf8').split(`\n${ADDITION}\n`);
  if (added !== undefined) text.push(`${ADDITION}\n${added.trimEnd()}`);
  writeFileSync(REPORT, text.join('\n\n').concat('\n'));
}
