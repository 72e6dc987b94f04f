import { ROUNDS_ALONE } from './compare.ts';
import { PGBENCH } from './pgbench.ts';
import type { Circumstances, Comparison, Embedded, Imports, Results, Sizes } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { SERVERS } from './servers.ts';
import { median } from './statistics.ts';
import { targetsOf } from './targets.ts';

/** All that takes part, in the order of the tables. */
export const CONTESTANTS = [...SERVERS.map(({ name, title }) => ({ name, title })), PGBENCH];

/**
 * Writes the results for people to read.
 *
 * @param notes what a person has to say about them, after the table of targets
 */
export function report(results: Results, notes = ''): string {
  const { comparison, sizes, imports, embedded } = results;
  return [
    '# Results of the benchmark',
    'Written by `npm run bench`. Every ratio is the median of the ratios of the rounds, in which the servers ran side by side.',
    ...targetSection(results),
    notes.trim(),
    ...(comparison ? comparisonSections(comparison) : []),
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
  return ['## Targets', table(['target', 'bound', 'measured', ''], rows)];
}

function comparisonSections(comparison: Comparison & Circumstances): string[] {
  const { rounds, seconds, series, memory } = comparison;
  return [
    '## Against its peers',
    circumstancesOf(comparison),
    [
      `Each figure is the median of ${rounds} rounds of ${seconds} s, of servers that were warmed up by the same load. The load generator, the server and PostgreSQL share the machine.`,
      'All do the same work on the same 5,000 animals, which is checked first: the key, the validation, the statement, the JSON.',
      'The peers use prepared statements (TypeORM has none) and a pool of 10; they write no log, so this service writes warnings only.',
      'It does what they do not besides: a request id, the link to the next page, the headers of deprecation, keys that can be revoked.',
      '`node:http` without a database answers a constant and checks nothing. pgbench is what the database itself can do, one statement a request,',
      'over at most 10 connections; its latency is the average. CPU is that of the server’s process, without PostgreSQL’s.',
      `A client alone, whose figures differ most from round to round, took ${ROUNDS_ALONE} times as many rounds on all cores.`,
      'On one core, one of the load generator, the server and PostgreSQL works at a time, and none has to wake another core for the next.',
    ].join('\n'),
    '![Requests a second at 64 connections](results.svg)',
    ...SCENARIOS.flatMap(({ name, title }) => {
      const own = series.filter(({ scenario }) => scenario === name);
      return own.length === 0 ? [] : [`### ${sentence(title)}`, scenarioTable(own)];
    }),
    '### Memory after all of it',
    table(
      ['', 'MiB'],
      Object.entries(memory).map(([server, mebibytes]) => [titleOf(server), figure(mebibytes)]),
      1,
    ),
  ];
}

function scenarioTable(series: Comparison['series']): string {
  const rows = series.map((one) => [
    `${one.connections}${one.cores === 'one' ? ', one core' : ''}`,
    titleOf(one.server),
    figure(median(one.requestsPerSecond)),
    figure(median(one.p50)),
    figure(median(one.p99)),
    figure(median(one.cpu)),
    figure(median(one.memory)),
  ]);
  const heads = ['connections', '', 'requests/s', 'p50 ms', 'p99 ms', 'CPU s per 1,000', 'memory MiB'];
  return table(heads, rows, 2);
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
    table(['', ...sizes.map((size) => `${size.toLocaleString('en')} rows`)], rows, 1),
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
      1,
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
      1,
    ),
  ];
}

function circumstancesOf({ date, machine, versions }: Circumstances): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${date} · ${machine} · ${list.join(', ')}`;
}

/** @param texts how many of the columns hold text; those after them hold figures */
function table(heads: string[], rows: string[][], texts = heads.length): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_head, index) => (index < texts ? '---' : '--:'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** Three digits that count, and whole numbers from 100 up. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

const titleOf = (server: string) => CONTESTANTS.find(({ name }) => name === server)?.title ?? server;
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
