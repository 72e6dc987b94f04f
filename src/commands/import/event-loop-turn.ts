import { setImmediate } from 'node:timers/promises';

/** The maximum time for which a loop blocks the event loop. */
const MAX_MS = 10;

/** A turn of the event loop. A long loop yields to the next turn, so that signals and the database are handled. */
export class EventLoopTurn {
  private startedAt = performance.now();

  /** Yields if the loop has run for 10 ms since the last yield. */
  async yieldIfLong(): Promise<void> {
    if (performance.now() - this.startedAt < MAX_MS) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
