import { existsSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

import type { Cores } from './cores.ts';
import type { Measurement } from './load.ts';

/** The measurements of one server under one load, in the order of the rounds. */
export type Series = { scenario: string; connections: number; cores: Cores; server: string } & {
  [Key in keyof Measurement]: number[];
};

/** The whole comparison with the peers. */
export interface Comparison {
  rounds: number;
  seconds: number;
  series: Series[];
  /** Memory of each server after all of it, in MiB. */
  memory: Record<string, number>;
}

/** The p50 of requests at one connection, in milliseconds, round by round, in stores of different sizes. */
export interface Sizes {
  sizes: number[];
  series: { request: string; size: number; p50: number[] }[];
}

/** How long an import took, in seconds, round by round. */
export interface Imports {
  rows: number;
  seconds: Record<string, number[]>;
}

/** Requests a second of the service on the embedded database, round by round. */
export interface Embedded {
  connections: number;
  requestsPerSecond: Record<string, number[]>;
}

/** Where and on what something was measured. */
export interface Circumstances {
  date: string;
  machine: string;
  versions: Record<string, string>;
}

/** All that is known, each part with the circumstances in which it was measured. */
export interface Results {
  comparison?: Comparison & Circumstances;
  sizes?: Sizes & Circumstances;
  imports?: Imports & Circumstances;
  embedded?: Embedded & Circumstances;
}

/** The results of earlier runs, which a run of some parts keeps. */
export function readResults(file: string): Results {
  if (!existsSync(file)) return {};
  // JSON has no NaN, which stands for what was not measured.
  const revive = (_key: string, value: unknown) => value ?? NaN;
  return JSON.parse(readFileSync(file, 'utf8'), revive) as Results;
}

/** Results as JSON that is short: four digits a number, a line a series. */
export function resultsText(results: Results): string {
  const short = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, short).replaceAll(/(?<=[[,]){"/g, '\n{"')}\n`;
}

const PACKAGES = ['@nestjs/core', 'typeorm', 'express', 'fastify', 'pg', '@electric-sql/pglite'];

/** Today, this machine, and the versions of what matters. */
export function circumstances(generator: string, postgres: string): Circumstances {
  const versions = PACKAGES.map((name) => {
    const manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as {
      version: string;
    };
    return [name, manifest.version] as const;
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().replace(/-.*/, "")}`,
    versions: {
      node: process.versions.node,
      PostgreSQL: postgres,
      ...Object.fromEntries(versions),
      'load generator': generator,
    },
  };
}
