import { setImmediate } from 'node:timers/promises';

/** The maximum time for which a loop blocks the event loop. */
const MAX_TURN_MS = 10;

/** Yields to the event loop during a long loop, so that signals and the database are handled. */
export class Pace {
  private turnStartedAt = performance.now();

  /** Yields if the loop has run for 10 ms since the last yield. */
  async keep(): Promise<void> {
    if (performance.now() - this.turnStartedAt < MAX_TURN_MS) return;
    await setImmediate();
    this.turnStartedAt = performance.now();
  }
}
