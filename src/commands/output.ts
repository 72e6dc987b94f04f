import { program } from '../config/config.js';
import { stringifyJson } from '../domain/json.js';

/**
 * Reports in one line that stdout cannot be written to, for example because the disk is full. The exit code becomes 1,
 * unless the command has set one. A closed pipe, as in `| head`, is not an error.
 */
export function reportOutputErrors(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode ??= 1;
    console.error(`${program.name}: cannot write to stdout: ${error.message}`);
  });
}

/** Prints rows as a JSON array, or as a table, in which Node quotes texts and escapes control characters. */
export function printRows(rows: readonly { id: bigint | string }[], json = false): void {
  if (json) console.log(stringifyJson(rows, 2));
  else console.table(Object.fromEntries(rows.map(({ id, ...columns }) => [id, columns])));
}
