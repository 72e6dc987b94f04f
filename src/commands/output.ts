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

/** Prints each row as a JSON object on a line. */
export function printRows(rows: readonly object[]): void {
  for (const row of rows) console.log(toPrintable(stringifyJson(row)));
}
