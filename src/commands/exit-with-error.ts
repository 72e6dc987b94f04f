import { OperatorError } from '../config/config.errors.js';
import { program } from '../program.js';
import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { DomainError, messageOf } from '../domain/errors.js';
import { toPrintable } from './output.js';

const UNDEFINED_TABLE = '42P01';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Writes an error to stderr, as one line for an operator or, if it is unexpected, with its stack. Exits with code 1. */
export function exitWith(error: unknown): void {
  // Without the callback, the exit could drop the end of stderr.
  process.stderr.write(`${program.name}: ${toPrintable(describe(error))}\n`, () => process.exit(1));
}

export function describe(error: unknown): string {
  if (error instanceof OperatorError || error instanceof DomainError) return error.message;
  if (isDatabaseUnavailable(error)) return `the database cannot be reached: ${messageOf(error)}`;
  if (error instanceof Error && 'code' in error) {
    if (error.code === UNDEFINED_TABLE)
      return `tables are missing in the database: run \`${program.name} migrate\``;
    if (error.code === INSUFFICIENT_PRIVILEGE) return `the database refuses a statement: ${error.message}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
