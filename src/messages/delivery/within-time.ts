import { once } from 'node:events';

/**
 * Does work until it ends or is aborted, whichever comes first: by its controller, or since it has taken too
 * long. Nothing of it is kept afterwards, however long it might have taken.
 *
 * @throws what the work throws, and the reason of the abort
 */
export async function withinTime(
  timeoutMs: number,
  controller: AbortController,
  work: () => Promise<void>,
): Promise<void> {
  const tooLate = () => controller.abort(new DOMException('The delivery took too long', 'TimeoutError'));
  const timer = setTimeout(tooLate, timeoutMs);
  try {
    await Promise.race([work(), aborted(controller.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws when the signal aborts. */
async function aborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason as Error;
}
