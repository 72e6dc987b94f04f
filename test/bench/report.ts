import { table } from '../support/report.ts';
import { median } from '../support/statistics.ts';
import type { Circumstances, Comparison, Embedded, Imports, Results, Starts } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { SERVERS } from './servers.ts';
import { targetsOf } from './targets.ts';

/**
 * Formats the results as Markdown. `results.json` holds every figure.
 *
 * @param notes what was learnt, in Markdown
 */
export function report(results: Results, notes = ''): string {
  const { comparison, starts, imports, embedded } = results;
  return [
    '# Results of the benchmark',
    '`npm run bench` writes this file. Each ratio is the median of the ratios of the rounds, in which the servers ran side by side. [results.json](results.json) holds every figure.',
    notes.trim(),
    ...targetSection(results),
    ...(comparison ? comparisonSection(comparison) : []),
    ...(starts ? startsSection(starts) : []),
    ...(imports ? importsSection(imports) : []),
    ...(embedded ? embeddedSection(embedded) : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function targetSection(results: Results): string[] {
  const rows = targetsOf(results).map(({ text, target, measured, unit, met }) => [
    text,
    target,
    Number.isNaN(measured) ? '–' : figure(measured) + unit,
    Number.isNaN(measured) ? 'not measured' : met ? 'met' : '**missed**',
  ]);
  return ['## Targets', table(['target', 'bound', 'measured', ''], rows, 4)];
}

function comparisonSection(comparison: Comparison & Circumstances): string[] {
  const { starts, rounds, seconds, series } = comparison;
  const own = series.filter(({ connections }) => connections === 64);
  return [
    '## Against its peers, at 64 connections',
    circumstancesOf(comparison),
    [
      `Starts: ${starts}. Rounds in each start: ${rounds}, of ${seconds} s. Each figure is the median of all rounds; the worst start is that of the lowest median. The load generator, the server and PostgreSQL share the machine.`,
      'The service is started by `npm run start:prod` on an empty database, and the animals are created through it. CPU time is that of the process of the server, for a request.',
      'The peers run with `--max-semi-space-size=32` and `--no-allocation-site-pretenuring`, as the service does.',
      'Before it is measured, each server is warmed up by the same load, and its answers are compared with those of the others.',
      'All servers check the key, validate the request and run the same work on the same 5,000 animals, with a pool of 10 connections and without a request log.',
    ].join('\n'),
    scenarioTable(own, rounds),
    ...aloneSection(series),
  ];
}

/** The p50 at one connection. */
function aloneSection(series: Comparison['series']): string[] {
  const alone = series.filter(({ connections }) => connections === 1);
  if (alone.length === 0) return [];
  const rows = alone.map(({ scenario, server, p50 }) => [
    scenarioOf(scenario),
    titleOf(server),
    figure(median(p50)),
  ]);
  return ['## One client alone', table(['', '', 'p50 ms'], rows, 2)];
}

/** Returns the lowest median of the starts, whose rounds follow each other. */
function worstStart(values: readonly number[], rounds: number): number {
  const starts = Array.from({ length: values.length / rounds }, (_, start) =>
    median(values.slice(start * rounds, (start + 1) * rounds)),
  );
  return Math.min(...starts);
}

function scenarioTable(series: Comparison['series'], rounds: number): string {
  const rows = series.map((one) => [
    scenarioOf(one.scenario),
    titleOf(one.server),
    figure(median(one.requestsPerSecond)),
    figure(worstStart(one.requestsPerSecond, rounds)),
    figure(median(one.p50)),
    figure(median(one.p99)),
    figure(median(one.cpu) * 1000),
  ]);
  const units = ['requests/s', 'worst start', 'p50 ms', 'p99 ms', 'CPU µs'];
  return table(['', '', ...units], rows, 2);
}

function startsSection(measured: Starts & Circumstances): string[] {
  const rows = [...Map.groupBy(measured.starts, ({ database }) => database)].map(([database, starts]) => {
    const cpu = starts.map(({ getCpu }) => getCpu * 1000);
    const worst = (['afterGets', 'afterAll', 'peak'] as const).map((key) =>
      Math.max(...starts.map((start) => start[key])),
    );
    return [database, ...[starts.length, median(cpu), Math.max(...cpu), ...worst].map(figure)];
  });
  return [
    '## Starts',
    circumstancesOf(measured),
    'Starts by `npm run start:prod` on an empty database: 5,000 creates from 64 clients, gets, and then all scenarios at 64 connections. Memory is the resident memory of the process, in the worst start; PGlite is part of it.',
    table(
      [
        ...['database', 'starts', 'CPU of a get, µs', 'in the worst start'],
        ...['MiB after creates and gets', 'MiB after all scenarios', 'peak MiB'],
      ],
      rows,
    ),
  ];
}

function importsSection(measured: Imports & Circumstances): string[] {
  const { rows, seconds } = measured;
  return [
    '## Import',
    circumstancesOf(measured),
    `\`petstore import\` of ${rows.toLocaleString('en')} rows of CSV into an empty store, from the start of the command to its end.`,
    table(
      ['', 'seconds', 'rows a second'],
      Object.entries(seconds).map(([name, times]) => [
        name,
        figure(median(times)),
        figure(rows / median(times)),
      ]),
    ),
  ];
}

function embeddedSection(measured: Embedded & Circumstances): string[] {
  return [
    '## On the embedded database',
    circumstancesOf(measured),
    `PGlite in the service’s own process, at ${measured.connections} connections.`,
    table(
      ['', 'requests/s'],
      Object.entries(measured.requestsPerSecond).map(([name, rates]) => [
        scenarioOf(name),
        figure(median(rates)),
      ]),
    ),
    ...limitsSection(measured.limitedStarts),
  ];
}

function limitsSection(starts: Embedded['limitedStarts']): string[] {
  if (typeof starts === 'string') return [`Starts with a limit of the memory: not measured (${starts}).`];
  return [
    'Starts by `npm run start:prod` in a control group without swap, with 5,000 creates from 64 clients and then all scenarios. The memory is that of the process, resident.',
    table(
      ['', 'limit', '', 'CPU ms until the first response', 'peak MiB until then', 'MiB after all scenarios'],
      starts.map(({ start, limitMiB, isKilled, readyCpuMs, peakMiB, loadedMiB }) => [
        start,
        `${figure(limitMiB)} MiB`,
        isKilled ? 'killed' : 'serves',
        ...[readyCpuMs, peakMiB, loadedMiB].map(figure),
      ]),
      3,
    ),
  ];
}

function circumstancesOf({ date, machine, versions }: Circumstances): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${date} · ${machine} · ${list.join(', ')}`;
}

/** Formats a number with three significant digits, or as a whole number from 100. */
function figure(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–';
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

const scenarioOf = (scenario: string) => SCENARIOS.find(({ name }) => name === scenario)?.title ?? scenario;

const titleOf = (server: string) => SERVERS.find(({ name }) => name === server)?.title ?? server;
