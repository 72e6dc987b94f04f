// Prints the time from the start of the built service to its first response:
//   npm run bench:start -- [--runs N]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { freePort, postgresIsInstalled, startPostgres } from '../support/postgres.ts';
import { PETSTORE } from './servers.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const RUNS = Number(values.runs);

async function measure(environment: NodeJS.ProcessEnv): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...(PETSTORE.flags ?? []), 'dist/src/main.js'], {
    env: { ...process.env, ...environment, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    while (child.exitCode === null) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/pets`).catch(() => undefined);
      if (answer) return performance.now() - startedAt;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('the service did not start');
  } finally {
    child.kill();
    await exited;
  }
}

async function report(name: string, goalMs: number, environment: NodeJS.ProcessEnv): Promise<void> {
  await measure(environment); // Creates the database.
  const times: number[] = [];
  while (times.length < RUNS) times.push(await measure(environment));
  times.sort((a, b) => a - b);
  const [fastest, middle, slowest] = [times.at(0), median(times), times.at(-1)].map((ms) =>
    Math.round(ms ?? NaN),
  );
  console.log(
    `${name}: ${middle} ms to the first response (median of ${RUNS}; ${fastest} to ${slowest}); target: < ${goalMs} ms`,
  );
}

const directory = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
try {
  await report('PGlite, an existing directory', 3000, { DATABASE_URL: '', DATA_DIR: directory });
} finally {
  await rm(directory, { recursive: true, force: true });
}

if (postgresIsInstalled()) {
  const postgres = await startPostgres();
  try {
    await report('PostgreSQL', 1500, { DATABASE_URL: postgres.url });
  } finally {
    await postgres.remove();
  }
} else {
  console.log('PostgreSQL: not measured, because it is not installed');
}
