import { inspect } from 'node:util';

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

/**
 * Prints rows as a JSON array, or as a table that begins with the column `index`, in which Node quotes texts and escapes
 * control characters.
 */
export function printRows(rows: readonly object[], json = false, index = 'id'): void {
  if (json) console.log(stringifyJson(rows, 2));
  else console.table(Object.fromEntries(rows.map((row) => toTableRow(row, index))));
}

function toTableRow(row: object, index: string): [key: unknown, columns: object] {
  const { [index]: key, ...columns } = row as Record<string, unknown>;
  // Node would print a bigint as `1n`.
  const plain = Object.entries(columns).map(([name, value]) =>
    typeof value === 'bigint' ? [name, { [inspect.custom]: () => String(value) }] : [name, value],
  );
  return [key, Object.fromEntries(plain) as object];
}
