import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { createDatabase, withClient } from './database.ts';
import type { Imports } from './results.ts';

const run = promisify(execFile);

const COMMAND = 'dist/src/cli.js';
const STATUSES = ['available', 'pending', 'sold', ''];

/** The length of the names in the files whose import is measured for its memory. */
const LONG_NAME = 'x'.repeat(2000);

/** The formats: the text before the rows, that of a row, that between two rows, and that behind the last one. */
const FORMATS: Record<
  string,
  [before: string, row: (name: string) => string, between: string, after: string]
> = {
  csv: ['name,categoryId\n', (name) => `${name},1`, '\n', '\n'],
  ndjson: ['', (name) => JSON.stringify({ name, categoryId: 1 }), '\n', '\n'],
  json: ['[', (name) => JSON.stringify({ name, categoryId: 1 }), ',\n', ']\n'],
};

/**
 * Measures `petstore import`, including the start of the command: the time for a CSV file in an empty store, and the peak
 * of the memory for a small and a large file of each format.
 */
export async function measureImports(
  postgresUrl: string,
  { rows, rounds, largeMiB }: { rows: number; rounds: number; largeMiB: number },
): Promise<Imports> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const file = join(directory, 'pets.csv');
  const line = (index: number) => `Animal ${index},${index % 20},${STATUSES[index % 4]}\n`;
  await write(file, ['name,categoryId,status\n', ...Array.from({ length: rows }, (_, index) => line(index))]);
  const seconds: Imports['seconds'] = { PostgreSQL: [], PGlite: [] };
  const peaksMiB: Imports['peaksMiB'] = {};
  const createStore = (name: string) =>
    withClient(postgresUrl, (client) => createDatabase(client, postgresUrl, name));
  try {
    for (let round = 0; round < rounds; round++) {
      const url = await createStore(`import_${round}`);
      seconds['PostgreSQL']?.push((await importInto(file, { DATABASE_URL: url })).seconds);
      const embedded = await importInto(file, { DATA_DIR: join(directory, String(round)) });
      seconds['PGlite']?.push(embedded.seconds);
    }
    for (const [format, [before, row, between, after]] of Object.entries(FORMATS)) {
      peaksMiB[format] = [];
      for (const sizeMiB of [1, largeMiB]) {
        const large = join(directory, `${sizeMiB}.${format}`);
        const count = Math.round((sizeMiB * 1024 ** 2) / LONG_NAME.length);
        const rowsOfFile = Array.from(
          { length: count },
          (_, index) => (index === 0 ? before : between) + row(LONG_NAME),
        );
        await write(large, [...rowsOfFile, after]);
        const url = await createStore(`import_${format}_${sizeMiB}`);
        peaksMiB[format].push((await importInto(large, { DATABASE_URL: url })).peakMiB);
      }
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log(`import of ${rows} rows, rounds: ${rounds}, and of ${largeMiB} MiB in each format`);
  return { rows, seconds, largeMiB, peaksMiB };
}

const write = (file: string, parts: string[]) => pipeline(Readable.from(parts), createWriteStream(file));

async function importInto(file: string, database: Record<string, string>) {
  const environment = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...database };
  // The schema is created first, so that only the import is measured.
  await run(process.execPath, [COMMAND, 'migrate'], { env: environment });
  const start = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'import', file], { env: environment, stdio: 'ignore' });
  const exited = once(child, 'exit');
  let peakMiB = 0;
  while (child.exitCode === null) {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    // A process that has just ended has no memory.
    const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(status) ?? [];
    peakMiB = Math.max(peakMiB, Number(kib) / 1024);
    await Promise.race([exited, sleep(100)]);
  }
  if (child.exitCode !== 0) throw new Error(`the import of ${file} ended with ${child.exitCode}`);
  return { seconds: (performance.now() - start) / 1000, peakMiB };
}
