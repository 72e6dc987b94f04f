import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findBinaries } from '../support/postgres.ts';
import type { Measurement } from './load.ts';
import { ANIMALS } from './scenarios.ts';

const run = promisify(execFile);

export const PGBENCH = { name: 'pgbench', title: 'pgbench' };

/** The statements of the peers, in the syntax of pgbench. */
const SCRIPTS: Record<string, string> = {
  list: '\\set limit 20\nSELECT id, name, category_id, status FROM pet ORDER BY id LIMIT :limit;\n',
  get: `\\set id random(1, ${ANIMALS})\nSELECT id, name, category_id, status FROM pet WHERE id = :id;\n`,
  create: `\\set category 2\nINSERT INTO pet (name, category_id, status) VALUES ('Kitty Cat', :category, 'available') RETURNING id;\n`,
};

/** The number of connections to the database, of the servers and of pgbench. */
const POOL_SIZE = 10;

/** PostgreSQL's own load generator, which measures the database alone. Undefined if the machine lacks it. */
export function findPgbench(): string | undefined {
  const program = join(findBinaries(), 'pgbench');
  return existsSync(program) ? program : undefined;
}

/** Whether pgbench has the statement of a scenario. */
export const hasScript = (scenario: string) => scenario in SCRIPTS;

/** Runs the statement of a scenario, prepared, for some seconds. */
export async function runPgbench(
  program: string,
  databaseUrl: string,
  scenario: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measurement> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-pgbench-'));
  const script = join(directory, 'script.sql');
  writeFileSync(script, SCRIPTS[scenario] ?? '');
  try {
    const clients = Math.min(connections, POOL_SIZE);
    const { stdout } = await run(program, [
      ...['--no-vacuum', '--protocol=prepared', `--client=${clients}`, '--jobs=1', `--time=${seconds}`],
      ...[`--file=${script}`, databaseUrl],
    ]);
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
    const [, average] = /^latency average = ([\d.]+) ms/m.exec(stdout) ?? [];
    // pgbench reports the average only. It stands in for the median; the other values are unknown.
    return { requestsPerSecond: Number(perSecond), p50: Number(average), p99: NaN, cpu: NaN, memory: NaN };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
