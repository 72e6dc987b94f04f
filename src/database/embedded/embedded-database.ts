import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';

import type { PGlite, PGliteOptions } from '@electric-sql/pglite';

import { ConfigError } from '../../config/config.errors.js';
import { messageOf } from '../../domain/errors.js';
import { planningOf, POSTGRESQL } from '../settings.js';

/** SQLite's code for a file that another process has locked. */
const SQLITE_BUSY = 5;

// V8's optimising compiler takes 600 MB of memory and seconds of CPU for one function of PGlite. These flags switch it off
// for WebAssembly. The first one implies the others only at the start of a process.
const WITHOUT_OPTIMISING = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

const NO_DATABASE =
  'DATABASE_URL is not set, and the embedded database PGlite is not installed. Run: npm install @electric-sql/pglite';

/** A PGlite in a directory. It opens on first use. */
export class EmbeddedDatabase {
  private opened: Promise<PGlite> | undefined;
  private lock: DatabaseSync | undefined;

  constructor(private readonly directory: string) {}

  /** @throws ConfigError when the directory cannot be used, for example because another process uses it */
  async newSession(): Promise<PGlite> {
    const session = await (this.opened ??= this.open());
    await session.exec('ROLLBACK');
    await session.exec('DISCARD ALL');
    // A new database has the time zone of its packaged files; initdb would choose UTC.
    for (const [name, value] of Object.entries({ ...planningOf(POSTGRESQL), TimeZone: 'UTC' }))
      await session.exec(`SET ${name} = ${value}`);
    return session;
  }

  async close(): Promise<void> {
    const session = await this.opened?.catch(() => undefined);
    await session?.close();
    this.lock?.close();
  }

  private async open(): Promise<PGlite> {
    for (const flag of WITHOUT_OPTIMISING) setFlagsFromString(flag);
    // Imported on first use, because it is large, and not every application installs it.
    const { PGlite } = await import('@electric-sql/pglite').catch((cause: unknown) => {
      if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
      throw new ConfigError(NO_DATABASE, { cause });
    });
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      // SQLite takes a lock of the operating system, which ends with the process in any case.
      const lockFile = join(this.directory, 'petstore.lock');
      this.lock = new DatabaseSync(lockFile);
      // A user who can read the file could lock it, and so prevent a start.
      chmodSync(lockFile, 0o600);
      this.lock.exec('BEGIN EXCLUSIVE');
      return await openOrCreate(PGlite, join(this.directory, 'pgdata'));
    } catch (error) {
      const isLocked = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
      const reason = isLocked ? 'another process uses it' : messageOf(error);
      throw new ConfigError(
        `DATA_DIR: the embedded database in "${this.directory}" cannot be opened: ${reason}`,
        { cause: error },
      );
    }
  }
}

/** The files of a new database, which the build adds. */
const NEW_FILES = join(import.meta.dirname, 'pgdata.tgz');

/**
 * Opens the database in a directory. A new one gets packaged files, because PGlite's initdb takes seconds. PG_VERSION is
 * written after the data, so that the next start completes what a killed process has left.
 */
async function openOrCreate(Database: typeof PGlite, dataDir: string): Promise<PGlite> {
  mkdirSync(dataDir, { recursive: true });
  // PGlite creates files that everybody can read and write.
  chmodSync(dataDir, 0o700);
  const options: PGliteOptions = { dataDir, onStderr: exitWithPostgres };
  if (existsSync(join(dataDir, 'PG_VERSION'))) return Database.create(options);
  // Bundlers and `nest start` leave the files out.
  if (!existsSync(NEW_FILES)) return Database.create(options);
  return Database.create({ ...options, loadDataDir: new Blob([readFileSync(NEW_FILES)]) });
}

/** A line of PostgreSQL's log that says why PostgreSQL ends, after the time and the process id. */
const END = /^\S[^\]]*\] (?:FATAL|PANIC): +(.*)/;

/**
 * Ends this process when PostgreSQL ends, for example because its log of changes cannot grow on a full disk. PGlite
 * ignores that: it loops forever, or goes on with a broken state. The next start recovers all that was committed.
 *
 * @see https://github.com/electric-sql/pglite/issues/1058
 */
function exitWithPostgres(logLine: string): boolean {
  const [, reason] = END.exec(logLine) ?? [];
  if (reason === undefined) return true;
  process.stderr.write(`petstore: The embedded database has stopped: ${reason}\n`);
  process.exit(1);
}
