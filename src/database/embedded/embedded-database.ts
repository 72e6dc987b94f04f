import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';

import type { PGlite } from '@electric-sql/pglite';

import { ConfigError } from '../../config/config.js';
import { planningOf } from '../pool/session-settings.js';
import { lockDirectory } from './directory-lock.js';

/** A PGlite in a directory. It opens on first use. */
export class EmbeddedDatabase {
  private opened: Promise<PGlite> | undefined;
  private lock: DatabaseSync | undefined;

  constructor(private readonly directory: string) {}

  /**
   * Returns the session, reset to the state of a new session.
   *
   * @throws ConfigError when the directory cannot be used, for example because another process uses it
   */
  async newSession(): Promise<PGlite> {
    const session = await (this.opened ??= this.open());
    await session.exec('ROLLBACK');
    await session.exec('DISCARD ALL');
    for (const [name, value] of Object.entries(planningOf('postgresql')))
      await session.exec(`SET ${name} = ${value}`);
    return session;
  }

  async close(): Promise<void> {
    const session = await this.opened?.catch(() => undefined);
    await session?.close();
    this.lock?.close();
  }

  private async open(): Promise<PGlite> {
    const dataDir = join(this.directory, 'pgdata');
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      this.lock = lockDirectory(this.directory);
      // PGlite creates files that everybody can read and write.
      chmodSync(dataDir, 0o700);
      // Imported on first use, because it is large.
      const { PGlite } = await import('@electric-sql/pglite');
      return await PGlite.create({ dataDir });
    } catch (error) {
      const reason = error instanceof Error ? error.message : inspect(error);
      throw new ConfigError(
        `DATA_DIR: the embedded database in "${this.directory}" cannot be opened: ${reason}`,
        { cause: error },
      );
    }
  }
}
