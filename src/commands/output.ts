import { inspect } from 'node:util';

import { program } from '../program.js';
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

/** Matches what a terminal executes, and what reorders a line. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Escapes the control characters of a text for a terminal, as in JSON. A text in JSON keeps its value. */
export function toPrintable(text: string): string {
  return text.replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Prints rows as a JSON array, or as a table that begins with the column `index`, in which Node quotes texts and escapes
 * control characters.
 */
export function printRows(rows: readonly object[], json = false, index = 'id'): void {
  if (json) console.log(toPrintable(stringifyJson(rows, 2)));
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
