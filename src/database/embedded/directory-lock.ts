import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { ConfigError } from '../../config/config.js';
import { OperatorError } from '../../config/operator-error.js';

/** Another process uses the embedded database. */
class DirectoryInUse extends OperatorError {
  constructor(directory: string, pid: string, cause: unknown) {
    super(`The embedded database in ${directory} is in use by the process ${pid}. Stop it first.`, { cause });
  }
}

/**
 * Locks a directory for one process. SQLite takes a lock of the operating system on a separate file. Unlike a pid file,
 * the lock ends with its process in any case, and pids that are used again cause no confusion.
 */
export class DirectoryLock {
  private constructor(private readonly file: DatabaseSync) {}

  /**
   * @throws DirectoryInUse when this or another process holds the lock
   * @throws ConfigError when the directory cannot be created or used
   */
  static acquire(directory: string): DirectoryLock {
    const pidFile = join(directory, 'petstore.pid');
    const file = openFile(directory);
    try {
      file.exec('BEGIN EXCLUSIVE');
      writeFileSync(pidFile, `${process.pid}\n`);
      return new DirectoryLock(file);
    } catch (error) {
      file.close();
      throw isBusy(error)
        ? new DirectoryInUse(directory, findPid(pidFile) ?? 'that just started', error)
        : unusable(directory, error);
    }
  }

  release(): void {
    this.file.close();
  }
}

function openFile(directory: string): DatabaseSync {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new DatabaseSync(join(directory, 'petstore.lock'));
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`DATA_DIR: "${directory}" cannot hold the embedded database: ${reason}`);
}

/** SQLite's code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function findPid(pidFile: string): string | undefined {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}
