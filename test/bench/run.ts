// Measures the service and writes results.md and results.json: npm run bench -- --help
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { postgresVersion } from '../support/report.ts';
import { compare } from './compare.ts';
import { startBenchPostgres } from './database.ts';
import { measureEmbedded } from './embedded.ts';
import { measureImports } from './import.ts';
import { readOptions } from './options.ts';
import { report } from './report.ts';
import { circumstances, readResults, type Results, resultsText } from './results.ts';
import { measureStarts } from './starts.ts';
import { targetsOf } from './targets.ts';

const { parts, extent, out } = readOptions();
const { rounds, seconds, serviceStarts, importRows } = extent;
const file = (name: string) => join(out, name);
mkdirSync(out, { recursive: true });
const results: Results = readResults(file('results.json'));

// A signal ends the process with `exit`, which also stops the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const postgres = await startBenchPostgres();
try {
  const where = circumstances(await postgresVersion(postgres.url));
  if (parts.has('compare')) {
    results.comparison = { ...where, ...(await compare(postgres.url, extent)) };
    save();
  }
  if (parts.has('starts')) {
    results.starts = { ...where, ...(await measureStarts(postgres.url, serviceStarts, seconds)) };
    save();
    failWhenMissed({ starts: results.starts });
  }
  if (parts.has('import')) {
    results.imports = { ...where, ...(await measureImports(postgres.url, importRows, rounds)) };
    save();
  }
  if (parts.has('embedded')) {
    results.embedded = { ...where, ...(await measureEmbedded(rounds, seconds)) };
    save();
    failWhenMissed({ embedded: results.embedded });
  }
  console.log(`the results are in ${file('results.md')}`);
} finally {
  await postgres.remove();
}

/** Writes the results so far. */
function save(): void {
  const notes = file('notes.md');
  writeFileSync(file('results.json'), resultsText(results));
  // The same figures as those that the next run reads, which resultsText() has rounded.
  const written = readResults(file('results.json'));
  writeFileSync(file('results.md'), report(written, existsSync(notes) ? readFileSync(notes, 'utf8') : ''));
}

/** Reports the targets that a part misses, and lets the process fail. */
function failWhenMissed(part: Results): void {
  for (const { text, target, measured, unit, met } of targetsOf(part)) {
    if (Number.isNaN(measured) || met) continue;
    console.error(`${text}: ${measured.toFixed(2)}${unit}, not ${target}`);
    process.exitCode = 1;
  }
}
