import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type Scenario, SCENARIOS } from './scenarios.ts';

const HELP = `usage: npm run bench -- [OPTION …]

What is measured, all of it when none is given:
  --compare            the service and its peers, side by side
  --import             petstore import
  --embedded           the service on the embedded database, and its starts with limits of memory. Fails if a
                       target is missed
  --starts             the CPU and the memory of the service in 20 starts. Fails if one of them is slow or large

  --quick              little of each, by default only the gets of --compare, to see that it works.
                       The results go to a temporary directory
`;

const PARTS = ['compare', 'starts', 'import', 'embedded'] as const;

/** How much is measured. */
export interface Extent {
  /** The starts of the compared servers. */
  starts: number;
  /** The rounds of each measurement in each start. */
  rounds: number;
  /** The length of each run of load. */
  seconds: number;
  scenarios: readonly Scenario[];
  connections: readonly number[];
  /** Whether a run before each scenario and each number of connections warms the servers up. */
  isWarm: boolean;
  /** The starts of `--starts`. */
  serviceStarts: number;
  importRows: number;
}

const WHOLE: Extent = {
  starts: 3,
  rounds: 3,
  seconds: 2,
  scenarios: SCENARIOS,
  connections: [1, 64],
  isWarm: true,
  serviceStarts: 20,
  importRows: 40_000,
};

const QUICK: Extent = {
  starts: 1,
  rounds: 1,
  seconds: 1,
  scenarios: SCENARIOS.filter(({ name }) => name === 'get'),
  connections: [64],
  isWarm: false,
  serviceStarts: 2,
  importRows: 2000,
};

export interface Options {
  parts: ReadonlySet<(typeof PARTS)[number]>;
  extent: Extent;
  /** The directory of the results. */
  out: string;
}

/** Reads the command line. Ends the process after `--help`. */
export function readOptions(): Options {
  const flag = { type: 'boolean', default: false } as const;
  const options = { compare: flag, import: flag, embedded: flag, starts: flag, quick: flag, help: flag };
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(HELP);
    process.exit();
  }
  const { quick } = values;
  const asked = PARTS.filter((part) => values[part]);
  const all = quick ? (['compare'] as const) : PARTS;
  return {
    parts: new Set(asked.length > 0 ? asked : all),
    extent: quick ? QUICK : WHOLE,
    out: quick ? mkdtempSync(join(tmpdir(), 'petstore-results-')) : 'test/bench',
  };
}
