import { table } from '../support/report.ts';
import type { Circumstances, Comparison, Embedded, Imports, Results, Sizes, Starts } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { SERVERS } from './servers.ts';
import { median } from './statistics.ts';
import { targetsOf } from './targets.ts';

/**
 * Formats the results as Markdown. `results.json` holds every figure.
 *
 * @param notes what was learnt, in Markdown
 */
export function report(results: Results, notes = ''): string {
  const { comparison, starts, sizes, imports, embedded } = results;
  return [
    '# Results of the benchmark',
    '`npm run bench` writes this file. Each ratio is the median of the ratios of the rounds, in which the servers ran side by side. [results.json](results.json) holds every figure.',
    notes.trim(),
    ...targetSection(results),
    ...(comparison ? comparisonSection(comparison) : []),
    ...(starts ? startsSection(starts) : []),
    ...(sizes ? sizesSection(sizes) : []),
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
  const own = series.filter(({ connections, cores }) => connections === 64 && cores === 'all');
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

/** The p50 at one connection, on all cores and on one. */
function aloneSection(series: Comparison['series']): string[] {
  const alone = series.filter(({ connections }) => connections === 1);
  if (alone.length === 0) return [];
  const loads = [...new Set(alone.map(({ scenario, server }) => `${scenario} ${server}`))];
  const p50 = (load: string, cores: Comparison['series'][number]['cores']) =>
    alone.find((one) => `${one.scenario} ${one.server}` === load && one.cores === cores)?.p50 ?? [];
  const rows = loads.map((load) => {
    const [scenario = '', server = ''] = load.split(' ');
    return [
      SCENARIOS.find(({ name }) => name === scenario)?.title ?? scenario,
      titleOf(server),
      figure(median(p50(load, 'all'))),
      figure(median(p50(load, 'one'))),
    ];
  });
  return ['## One client alone', table(['', '', 'p50 ms', 'p50 ms, all on one core'], rows, 2)];
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
    SCENARIOS.find(({ name }) => name === one.scenario)?.title ?? one.scenario,
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
  const rows = measured.starts.map(({ database, getCpu, afterGets, afterAll, peak }) => [
    database,
    figure(getCpu * 1000),
    figure(afterGets),
    figure(afterAll),
    figure(peak),
  ]);
  return [
    '## Starts',
    circumstancesOf(measured),
    `${rows.length} starts by \`npm run start:prod\` on an empty database: 5,000 creates from 64 clients, gets, and then all scenarios at 64 connections. Memory is the resident memory of the process; PGlite is part of it.`,
    table(
      ['database', 'CPU of a get, µs', 'MiB after creates and gets', 'MiB after all scenarios', 'peak MiB'],
      rows,
    ),
  ];
}

function sizesSection(measured: Sizes & Circumstances): string[] {
  const { sizes, series } = measured;
  const rows = [...new Set(series.map(({ request }) => request))].map((request) => [
    request,
    ...sizes.map((size) =>
      figure(median(series.find((one) => one.request === request && one.size === size)?.p50 ?? [])),
    ),
  ]);
  return [
    '## Cost against size',
    circumstancesOf(measured),
    'The p50 in milliseconds at 1 connection, on one core where that can be chosen. The rare status is that of the animals that were added last.',
    table(['', ...sizes.map((size) => `${size.toLocaleString('en')} rows`)], rows),
  ];
}

function importsSection(measured: Imports & Circumstances): string[] {
  const { rows, seconds, largeMiB, peaksMiB } = measured;
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
    `The peak of the resident memory of the command on PostgreSQL, in MiB, with names of 2,000 characters.`,
    table(
      ['', 'a file of 1 MiB', `a file of ${largeMiB} MiB`],
      Object.entries(peaksMiB).map(([format, peaks]) => [format, ...peaks.map(figure)]),
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
        SCENARIOS.find((scenario) => scenario.name === name)?.title ?? name,
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
function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

const titleOf = (server: string) => SERVERS.find(({ name }) => name === server)?.title ?? server;
