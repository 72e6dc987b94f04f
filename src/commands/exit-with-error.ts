import { ConfigError } from '../config/config.js';
import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { DirectoryInUse } from '../database/embedded/directory-lock.js';
import { MigrationFailed } from '../database/migration-failed.js';
import { DomainError } from '../domain/domain-error.js';
import { ImportError } from './import/import-error.js';

/** Errors whose message says all that an operator needs. */
const FOR_THE_OPERATOR = [ConfigError, DirectoryInUse, DomainError, ImportError, MigrationFailed];

/** The SQLSTATE of a statement that asks for a table which does not exist. */
const UNDEFINED_TABLE = '42P01';

/** Ends the process with code 1 and, on stderr, a line that tells an operator what to do; a stack only for a fault. */
export function exitWith(error: unknown): never {
  process.stderr.write(`petstore: ${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (FOR_THE_OPERATOR.some((kind) => error instanceof kind)) return messageOf(error);
  if (isDatabaseUnavailable(error)) return `the database cannot be reached: ${messageOf(error)}`;
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'EADDRINUSE') return error.message;
    if (error.code === UNDEFINED_TABLE) return 'the database lacks tables: migrate it, by `petstore migrate`';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
