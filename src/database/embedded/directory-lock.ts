import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a directory for this process, until the returned file is closed. SQLite takes a lock of the operating system on
 * it, which ends with the process in any case.
 *
 * @throws Error when another process holds the lock, or the file cannot be written
 */
export function lockDirectory(directory: string): DatabaseSync {
  const file = new DatabaseSync(join(directory, 'petstore.lock'));
  try {
    file.exec('BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    throw isBusy(error) ? new Error('another process uses it', { cause: error }) : error;
  }
}

/** SQLite's code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
