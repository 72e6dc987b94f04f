let last = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller shares. Work that takes several milliseconds waits for it,
 * so that other requests are served in between.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
