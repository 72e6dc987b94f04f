import { once } from 'node:events';

/**
 * Waits for work until it ends or is aborted. Aborts it after the timeout.
 *
 * @throws the error of the work, or the reason of the abort
 */
export async function withinTime(
  timeoutMs: number,
  controller: AbortController,
  work: () => Promise<void>,
): Promise<void> {
  const abort = () => controller.abort(new DOMException('The delivery timed out', 'TimeoutError'));
  const timer = setTimeout(abort, timeoutMs);
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
