import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createDatabase, withClient } from './database.ts';
import type { Imports } from './results.ts';

const run = promisify(execFile);

const COMMAND = 'dist/src/cli.js';
const STATUSES = ['available', 'pending', 'sold', ''];

/** Measures `petstore import` of a CSV file into an empty store, including the start of the command. */
export async function measureImports(
  postgresUrl: string,
  { rows, rounds }: { rows: number; rounds: number },
): Promise<Imports> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const file = join(directory, 'pets.csv');
  const lines = Array.from(
    { length: rows },
    (_, index) => `Animal ${index},${index % 20},${STATUSES[index % 4]}\n`,
  );
  writeFileSync(file, ['name,categoryId,status\n', ...lines].join(''));
  const seconds: Imports['seconds'] = { PostgreSQL: [], PGlite: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const url = await withClient(postgresUrl, (client) =>
        createDatabase(client, postgresUrl, `import_${round}`),
      );
      seconds['PostgreSQL']?.push(await time(file, { DATABASE_URL: url }));
      seconds['PGlite']?.push(await time(file, { DATA_DIR: join(directory, String(round)) }));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log(`import of ${rows} rows, rounds: ${rounds}`);
  return { rows, seconds };
}

async function time(file: string, database: Record<string, string>): Promise<number> {
  const environment = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...database };
  // The schema is created first, so that only the import is measured.
  await run(process.execPath, [COMMAND, 'migrate'], { env: environment });
  const start = performance.now();
  await run(process.execPath, [COMMAND, 'import', file], { env: environment });
  return (performance.now() - start) / 1000;
}
