import type { PGlite } from '@electric-sql/pglite';

import { planningOf } from '../connections/session-settings.js';
import { POSTGRESQL } from '../engine.js';
import { DirectoryLock } from './directory-lock.js';

/** A PGlite in a directory. It opens on first use. */
export class EmbeddedDatabase {
  private opened: Promise<PGlite> | undefined;
  private lock: DirectoryLock | undefined;

  constructor(private readonly directory: string) {}

  /** Returns the session, reset to the state of a new session. */
  async newSession(): Promise<PGlite> {
    const session = await (this.opened ??= this.open());
    await session.exec('ROLLBACK');
    await session.exec('DISCARD ALL');
    for (const [name, value] of Object.entries(planningOf(POSTGRESQL)))
      await session.exec(`SET ${name} = ${value}`);
    return session;
  }

  async close(): Promise<void> {
    const session = await this.opened?.catch(() => undefined);
    await session?.close();
    this.lock?.release();
  }

  private async open(): Promise<PGlite> {
    this.lock = DirectoryLock.acquire(this.directory);
    // Imported on first use, because it is large.
    const { PGlite } = await import('@electric-sql/pglite');
    return PGlite.create({ dataDir: `${this.directory}/pgdata` });
  }
}
