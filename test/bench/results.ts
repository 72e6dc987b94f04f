import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';

import { machine } from '../support/report.ts';
import type { Measurement } from './load.ts';

/** The measurements of one server under one load, in the order of the rounds. */
export type Series = { scenario: string; connections: number; server: string } & {
  [Key in keyof Measurement]: number[];
};

/** The comparison with the peers. */
export interface Comparison {
  /** Each start has a database and servers of its own. The rounds of all starts follow each other in a series. */
  starts: number;
  rounds: number;
  seconds: number;
  series: Series[];
}

/** The durations of an import, in seconds, round by round. */
export interface Imports {
  rows: number;
  seconds: Record<string, number[]>;
}

/** The service on the embedded database. */
export interface Embedded {
  connections: number;
  /** Round by round. */
  requestsPerSecond: Record<string, number[]>;
  /** Or the reason why they were not measured. */
  limitedStarts: LimitedStart[] | string;
}

/** A start with a limit of the memory. Memory is resident and in MiB. Null: the process was killed before. */
export interface LimitedStart {
  /** The first start, or a later one. */
  start: string;
  limitMiB: number;
  /** Whether the kernel ended a process because of the limit. */
  isKilled: boolean;
  /** The CPU time until the first response. */
  readyCpuMs: number | null;
  /** The peak until then. */
  peakMiB: number | null;
  /** After creates and all scenarios. */
  loadedMiB: number | null;
}

/** A start of the service. Memory is resident and in MiB. */
export interface Start {
  database: 'PostgreSQL' | 'PGlite';
  /** CPU time of a get, in seconds for 1,000 requests. */
  getCpu: number;
  /** The memory after the creates and the gets. */
  afterGets: number;
  /** The memory after all scenarios. */
  afterAll: number;
  /** The peak of the memory, since the start. */
  peak: number;
}

/** Starts of the service as its users start it. */
export interface Starts {
  starts: Start[];
}

/** The machine and the versions of a measurement. */
export interface Circumstances {
  date: string;
  machine: string;
  versions: Record<string, string>;
}

/** The results, each part with the machine and the versions of its measurement. */
export interface Results {
  comparison?: Comparison & Circumstances;
  imports?: Imports & Circumstances;
  embedded?: Embedded & Circumstances;
  starts?: Starts & Circumstances;
}

/** Reads the results of earlier runs. A run of some parts keeps the others. */
export function readResults(file: string): Results {
  if (!existsSync(file)) return {};
  return JSON.parse(readFileSync(file, 'utf8')) as Results;
}

/** Formats results as short JSON: four digits for each number, a line for each series. */
export function resultsText(results: Results): string {
  const short = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, short).replaceAll(/(?<=[[,]){"/g, '\n{"')}\n`;
}

const PACKAGES = ['@nestjs/core', 'typeorm', 'express', 'pg', '@electric-sql/pglite'];

/** Returns the date, the machine, and the versions of the software. */
export function circumstances(postgres: string): Circumstances {
  const versions = PACKAGES.map((name) => {
    const manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as {
      version: string;
    };
    return [name, manifest.version] as const;
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${machine()}, Linux ${release().replace(/-.*/, '')}`,
    versions: {
      node: process.versions.node,
      PostgreSQL: postgres,
      ...Object.fromEntries(versions),
      'load generator': 'wrk',
    },
  };
}
