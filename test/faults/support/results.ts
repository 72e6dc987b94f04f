import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

import type { Ledger } from './ledger.ts';
import { quick } from './mode.ts';

/** What became of the service under a fault. */
export interface Result {
  /** What was done to it. Of results with the same fault, the last one counts. */
  fault: string;
  /** Requests that were answered, a second. */
  requestsPerSecond: number;
  requests: number;
  acknowledged: number;
  lost: number;
  wrong: number;
  /** Writes that the client cannot know the outcome of. */
  unknown: number;
  /** The longest time that a client waited for an answer. */
  slowestMs: number;
  /** The slowest of the recoveries; undefined where there is nothing to recover from. */
  recoveryMs?: number;
  /** What no column holds, in a sentence below the table. */
  details?: string;
}

interface Measured extends Result {
  /** The day, the machine and the versions. */
  on: string;
}

const JSON_FILE = 'test/faults/results.json';
const REPORT = 'test/faults/results.md';

/** Puts a result into the report, in the place of the one that the same fault had. The short form leaves it alone. */
export function record(result: Result, postgresVersion?: string): void {
  console.log(lineOf(result), result.details ?? '');
  if (quick) return;
  const results = existsSync(JSON_FILE) ? (JSON.parse(readFileSync(JSON_FILE, 'utf8')) as Measured[]) : [];
  const measured = { ...result, on: circumstances(postgresVersion) };
  const index = results.findIndex(({ fault }) => fault === result.fault);
  if (index < 0) results.push(measured);
  else results[index] = measured;
  writeFileSync(JSON_FILE, `[\n${results.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`);
  writeFileSync(REPORT, report(results));
}

/** The columns of a result that a ledger and its verdict fill. */
export function totals(ledger: Ledger, { lost, wrong }: { lost: number; wrong: number }) {
  const { requests, acknowledged, unknown, slowestMs } = ledger;
  return { requests, acknowledged, lost, wrong, unknown, slowestMs: Math.round(slowestMs) };
}

function circumstances(postgresVersion: string | undefined): string {
  const cpu = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const database = postgresVersion === undefined ? 'PGlite' : `PostgreSQL ${postgresVersion}`;
  return `${new Date().toISOString().slice(0, 10)} · ${cpu}, ${memory} · Node ${process.versions.node}, ${database}`;
}

const HEADS = [
  'fault',
  'requests/s',
  'requests',
  'acknowledged',
  'lost',
  'wrong',
  'unknown',
  'slowest answer, ms',
  'time to recover, ms',
];

function report(results: Measured[]): string {
  const groups = Map.groupBy(results, ({ on }) => on);
  const sections = [...groups].map(([on, rows]) =>
    [`## ${on}`, '', `| ${HEADS.join(' | ')} |`, `| ---${' | --:'.repeat(HEADS.length - 1)} |`]
      .concat(rows.map(lineOf), rows.flatMap(detailsOf))
      .join('\n'),
  );
  return [
    '# The service under faults',
    'Written by `npm run test:faults`. Under each fault, 64 clients create and read unless it says otherwise. ' +
      '**Acknowledged** are the animals, orders and messages that clients were told of; **lost** are those of them ' +
      'that are missing afterwards, and **wrong** is every answer or row that must not be. **Unknown** are writes ' +
      'that were answered with 503, or not at all: they may have been done or not, never twice. The time to recover is ' +
      'from the end of the fault, or the start of the new process, until a request of each client has succeeded.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

function detailsOf({ fault, details }: Result): string[] {
  return details === undefined ? [] : ['', `**${fault}**: ${details}.`];
}

function lineOf({ fault, requestsPerSecond, recoveryMs, ...counts }: Result): string {
  const { requests, acknowledged, lost, wrong, unknown, slowestMs } = counts;
  const figures = [Math.round(requestsPerSecond), requests, acknowledged, lost, wrong, unknown, slowestMs];
  const recovery = recoveryMs === undefined ? '–' : figure(Math.round(recoveryMs));
  return `| ${fault} | ${figures.map(figure).join(' | ')} | ${recovery} |`;
}

const figure = (value: number) => value.toLocaleString('en');
