import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Extent } from './compare.ts';
import { SCENARIOS } from './scenarios.ts';
import { SERVERS } from './servers.ts';

const HELP = `usage: npm run bench -- [OPTION …]

What is measured, all of it when none is given:
  --compare            the service and its peers, side by side
  --import             petstore import
  --embedded           the service on the embedded database, and its starts with limits of memory. Fails if a
                       target is missed
  --starts             the CPU and the memory of the service in 20 starts. Fails if one of them is slow or large

How much:
  --rounds N           rounds of each measurement in each start, 3
  --repeat N           starts of the compared servers, 3
  --seconds N          seconds of each run of load, 2. Another run before it warms the servers up
  --scenarios A,B      of ${SCENARIOS.map(({ name }) => name).join(', ')}
  --connections N,M    1,64
  --servers A,B        the peers, of ${SERVERS.map(({ name }) => name).join(', ')}
  --quick              one round of a second each at 64 connections, to see that it works

  --out DIRECTORY      where the results go: test/bench, or, with less than the whole extent, a temporary directory
`;

const PARTS = ['compare', 'starts', 'import', 'embedded'] as const;

export interface Options extends Extent {
  parts: ReadonlySet<(typeof PARTS)[number]>;
  importRows: number;
  /** The number of starts of `--starts`. */
  serviceStarts: number;
  out: string;
}

/** Reads the command line. Ends the process after `--help`. */
export function readOptions(): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      compare: flag,
      import: flag,
      embedded: flag,
      starts: flag,
      rounds: text,
      repeat: text,
      seconds: text,
      scenarios: text,
      connections: text,
      servers: text,
      quick: flag,
      out: text,
      help: flag,
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit();
  }
  const { quick } = values;
  const asked = PARTS.filter((part) => values[part]);
  const all = quick ? (['compare'] as const) : PARTS;
  const { rounds, repeat, seconds, scenarios, connections, servers } = values;
  // The published results are of the whole extent.
  const isWhole = !quick && ![rounds, repeat, seconds, scenarios, connections, servers].some(Boolean);
  return {
    parts: new Set(asked.length > 0 ? asked : all),
    rounds: wholeNumber(rounds ?? (quick ? '1' : '3')),
    starts: wholeNumber(repeat ?? (quick ? '1' : '3')),
    seconds: wholeNumber(seconds ?? (quick ? '1' : '2')),
    scenarios: someOf(SCENARIOS, scenarios),
    connections: (connections ?? (quick ? '64' : '1,64')).split(',').map(wholeNumber),
    servers: someOf(SERVERS, servers),
    serviceStarts: quick ? 2 : 20,
    importRows: quick ? 2000 : 40_000,
    out: values.out ?? (isWhole ? 'test/bench' : mkdtempSync(join(tmpdir(), 'petstore-results-'))),
  };
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`${text} is no whole number`);
}

function someOf(known: readonly { name: string }[], list: string | undefined): string[] {
  const names = known.map(({ name }) => name);
  const asked = list?.split(',') ?? names;
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not one of ${names.join(', ')}`);
  return asked;
}
