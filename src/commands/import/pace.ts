import { setImmediate } from 'node:timers/promises';

/** How long a loop may keep the event loop to itself. */
const MAX_TURN_MS = 10;

/** Lets a long loop share the event loop with signals and the database. */
export class Pace {
  private turnStartedAt = performance.now();

  /** Waits for the other events, if the loop has run for 10 ms since the last time. */
  async keep(): Promise<void> {
    if (performance.now() - this.turnStartedAt < MAX_TURN_MS) return;
    await setImmediate();
    this.turnStartedAt = performance.now();
  }
}
