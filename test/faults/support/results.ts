import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { expect } from 'vitest';

import { circumstances, figure, postgresVersion, table } from '../../support/report.ts';
import type { Load } from './load.ts';
import { quick } from './mode.ts';
import { readBack, type StoreEnvironment } from './store.ts';

/** The result of the service under a fault. */
export interface Result {
  /** The fault. A new result replaces an earlier one with the same fault. */
  fault: string;
  /** The answered requests per second. */
  requestsPerSecond: number;
  requests: number;
  /** The numbers of acknowledged, lost and wrong writes. Absent if the load does not count them. */
  acknowledged?: number;
  lost?: number;
  wrong?: number;
  /** The number of writes with an unknown outcome. */
  unknown?: number;
  /** The longest wait for a response. */
  slowestMs: number;
  /** The longest recovery. Undefined if the fault needs no recovery. */
  recoveryMs?: number;
  /** Further figures, in a sentence below the table. */
  details?: string;
}

interface Measured extends Result {
  /** The day, the machine and the versions of the measurement. */
  on: string;
}

const JSON_FILE = 'test/faults/results.json';
const REPORT = 'test/faults/results.md';

/**
 * Adds a result to the report, where it replaces that of the same fault. The short form writes no report.
 *
 * @param databaseUrl the PostgreSQL. Without it, the result is of PGlite
 */
export async function record(result: Result, databaseUrl?: string): Promise<void> {
  console.log(cellsOf(result).join(' | '), result.details ?? '');
  if (quick) return;
  const results = existsSync(JSON_FILE) ? (JSON.parse(readFileSync(JSON_FILE, 'utf8')) as Measured[]) : [];
  const database =
    databaseUrl === undefined ? { PGlite: '' } : { PostgreSQL: await postgresVersion(databaseUrl) };
  const measured = { ...result, on: circumstances(database) };
  const index = results.findIndex(({ fault }) => fault === result.fault);
  if (index < 0) results.push(measured);
  else results[index] = measured;
  writeFileSync(JSON_FILE, `[\n${results.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`);
  writeFileSync(REPORT, report(results));
}

/** Ends a load and records it. No write may be lost, and no response wrong. */
export async function recordLoad(
  fault: string,
  load: Load,
  environment: StoreEnvironment,
  more: Pick<Result, 'recoveryMs' | 'details'> = {},
): Promise<void> {
  const { requests, acknowledged, unknown, slowestMs } = await load.stop();
  const verdict = load.ledger.judge(await readBack(environment));
  const { lost, wrong } = verdict;
  const { requestsPerSecond } = load;
  await record(
    {
      fault,
      requestsPerSecond,
      requests,
      acknowledged,
      lost,
      wrong,
      unknown,
      slowestMs: Math.round(slowestMs),
      ...more,
    },
    'DATABASE_URL' in environment ? environment.DATABASE_URL : undefined,
  );
  expect(verdict).toEqual({ lost: 0, wrong: 0, examples: [] });
}

const HEADS = [
  'fault',
  'requests/s',
  'requests',
  'acknowledged',
  'lost',
  'wrong',
  'unknown',
  'slowest response, ms',
  'time to recover, ms',
];

function report(results: Measured[]): string {
  const groups = Map.groupBy(results, ({ on }) => on);
  const sections = [...groups].map(([on, rows]) =>
    [`## ${on}`, table(HEADS, rows.map(cellsOf)), ...rows.flatMap(detailsOf)].join('\n\n'),
  );
  return [
    '# The service under faults',
    '`npm run test:faults` writes this file. Under each fault, 64 clients create and read, unless stated otherwise. ' +
      '**Acknowledged** counts the animals, orders and messages that were acknowledged, **lost** those of them that ' +
      'are missing afterwards, and **wrong** the responses and rows that contradict them. **Unknown** counts the ' +
      'writes without a response or with a 503: they took effect once or not at all. The recovery lasts from the end ' +
      'of the fault, or the start of the new process, until a request of each client has succeeded.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

function detailsOf({ fault, details }: Result): string[] {
  return details === undefined ? [] : [`**${fault}**: ${details}.`];
}

function cellsOf({ fault, requestsPerSecond, recoveryMs, ...counts }: Result): string[] {
  const { requests, acknowledged = 0, lost = 0, wrong = 0, unknown = 0, slowestMs } = counts;
  const figures = [requestsPerSecond, requests, acknowledged, lost, wrong, unknown, slowestMs];
  const recovery = recoveryMs === undefined ? '–' : figure(recoveryMs);
  return [fault, ...figures.map(figure), recovery];
}
