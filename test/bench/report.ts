import { table } from '../support/report.ts';
import type { Circumstances, Comparison, Embedded, Imports, Memory, Results, Sizes } from './results.ts';
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
  const { comparison, memory, sizes, imports, embedded } = results;
  return [
    '# Results of the benchmark',
    '`npm run bench` writes this file. Each ratio is the median of the ratios of the rounds, in which the servers ran side by side. [results.json](results.json) holds every figure.',
    notes.trim(),
    ...targetSection(results),
    ...(comparison ? comparisonSection(comparison) : []),
    ...(memory ? memorySection(memory) : []),
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
  const { rounds, seconds, series } = comparison;
  const own = series.filter(({ connections, cores }) => connections === 64 && cores === 'all');
  return [
    '## Against its peers, at 64 connections',
    circumstancesOf(comparison),
    [
      `Each figure is the median of ${rounds} rounds of ${seconds} s. The load generator, the server and PostgreSQL share the machine.`,
      'CPU time and heap are those of the process of the server, for a request; the longest collection is that of all rounds.',
      'Before it is measured, each server is warmed up by the same load, and its answers are compared with those of the others.',
      'All servers check the key, validate the request and run the same work on the same 5,000 animals, with a pool of 10 connections and without a request log.',
    ].join('\n'),
    scenarioTable(own),
  ];
}

function scenarioTable(series: Comparison['series']): string {
  const rows = series.map((one) => [
    SCENARIOS.find(({ name }) => name === one.scenario)?.title ?? one.scenario,
    titleOf(one.server),
    figure(median(one.requestsPerSecond)),
    figure(median(one.p50)),
    figure(median(one.p99)),
    figure(median(one.cpu) * 1000),
    figure(median(one.allocated)),
    figure(Math.max(...one.pause)),
  ]);
  const units = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'KiB of heap', 'longest collection ms'];
  return table(['', '', ...units], rows, 2);
}

function memorySection(measured: Memory & Circumstances): string[] {
  const { mebibytes } = measured;
  return [
    '## Memory',
    circumstancesOf(measured),
    `The resident memory in MiB after creates at 64 connections, gets at 64 and 1, and lists at 64 and 256, in ${mebibytes.length} starts: ${mebibytes.map(figure).join(', ')}.`,
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
        SCENARIOS.find((scenario) => scenario.name === name)?.title ?? name,
        figure(median(rates)),
      ]),
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
