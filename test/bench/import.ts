import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createDatabase } from './database.ts';
import type { Imports } from './results.ts';

const run = promisify(execFile);

const COMMAND = 'dist/src/cli.js';
const STATUSES = ['available', 'pending', 'sold', ''];

/** Measures `petstore import` of a CSV file into an empty store, including the start of the command. */
export async function measureImports(postgresUrl: string, rows: number, rounds: number): Promise<Imports> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const file = join(directory, 'pets.csv');
  const line = (index: number) => `Animal ${index},${index % 20},${STATUSES[index % 4]}\n`;
  writeFileSync(
    file,
    `name,categoryId,status\n${Array.from({ length: rows }, (_, index) => line(index)).join('')}`,
  );
  const seconds = { PostgreSQL: [] as number[], PGlite: [] as number[] };
  try {
    for (let round = 0; round < rounds; round++) {
      const DATABASE_URL = await createDatabase(postgresUrl, `import_${round}`);
      seconds.PostgreSQL.push(await importInto(file, { DATABASE_URL }));
      seconds.PGlite.push(await importInto(file, { DATA_DIR: join(directory, String(round)) }));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log(`import of ${rows} rows, rounds: ${rounds}`);
  return { rows, seconds };
}

async function importInto(file: string, database: Record<string, string>): Promise<number> {
  const environment = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...database };
  // The schema is created first, so that only the import is measured.
  await run(process.execPath, [COMMAND, 'migrate'], { env: environment });
  const start = performance.now();
  await run(process.execPath, [COMMAND, 'import', file], { env: environment });
  return (performance.now() - start) / 1000;
}
