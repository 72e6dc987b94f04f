import { setTimeout as sleep } from 'node:timers/promises';

import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { Database } from './database.js';
import type { Statement } from './session.js';

/** The number of rows that one run of a statement removes, and the pause when no more are left. */
const LIMIT = 500;
const PAUSE_MS = 60_000;

/** Removes the rows of features that are no longer needed, in the background, in small pieces. */
@Injectable()
export class ExpiredRows implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly statements: { statement: Statement; values: readonly unknown[] }[] = [];
  private readonly stop = new AbortController();
  private removals: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
  ) {}

  /**
   * Adds a statement that removes rows, and returns one row for each.
   *
   * @param statement its first parameter is the maximum number of rows
   * @param values its further parameters
   */
  add(statement: Statement, values: readonly unknown[] = []): void {
    this.statements.push({ statement, values });
  }

  onApplicationBootstrap(): void {
    this.removals = this.run(this.stop.signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.removals;
  }

  async removeAll(): Promise<void> {
    for (const { statement, values } of this.statements) {
      let removed: object[];
      do {
        removed = await this.database.query(statement, [LIMIT, ...values]);
        // Another process may have taken some of them. The few that have expired meanwhile wait for the next time.
      } while (removed.length > LIMIT / 10 && !this.stop.signal.aborted);
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      // Processes that started together do not remove rows at the same time.
      const pauseMs = PAUSE_MS * (0.5 + Math.random());
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.removeAll().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'Cannot remove expired rows');
      });
    }
  }
}
