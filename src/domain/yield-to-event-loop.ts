let last = Promise.resolve();

/**
 * Resolves in a separate turn of the event loop for each caller. Work of several milliseconds waits for it, so that
 * other requests are served in between.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
