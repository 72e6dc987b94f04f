import { addAbortListener, once } from 'node:events';

import { messageOf } from '../../domain/errors.js';
import type { LeasedMessage } from '../messages.repository.js';
import { AttemptFailed, type MessageDelivery } from './message-delivery.js';

const FIRST_RETRY_AFTER_MS = 5000;
const RETRY_GROWTH = 3;
const MAX_RETRY_AFTER_MS = 6 * 60 * 60 * 1000;

const ERROR_LENGTH = 1000;

/** Delivers a message within the timeout and before the signal aborts, or throws. */
export async function deliverInTime(
  delivery: MessageDelivery,
  message: LeasedMessage,
  timeoutMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(new DOMException('The delivery timed out', 'TimeoutError'));
  const timer = setTimeout(abort, timeoutMs);
  // `AbortSignal.any` would stay in memory as long as the service runs.
  const listener = addAbortListener(stopping, () => controller.abort());
  try {
    await Promise.race([
      delivery.deliver(message, { number: message.attempts, signal }),
      once(signal, 'abort').then(() => Promise.reject(signal.reason as Error)),
    ]);
  } finally {
    clearTimeout(timer);
    listener[Symbol.dispose]();
  }
}

/**
 * Returns the back-off after a failed attempt, or the longer wait that the receiver asks for. The jitter of 10 % spreads
 * the retries of concurrent failures.
 */
export function backOff(attempt: number, error: unknown): number | 'park' {
  const retryAfter = error instanceof AttemptFailed ? (error.retryAfter ?? 0) : 0;
  if (retryAfter === 'park') return 'park';
  const waitMs = Math.min(FIRST_RETRY_AFTER_MS * RETRY_GROWTH ** (attempt - 1), MAX_RETRY_AFTER_MS);
  const spreadMs = waitMs * (0.9 + Math.random() / 5);
  return Math.round(Math.max(spreadMs, Math.min(retryAfter, MAX_RETRY_AFTER_MS)));
}

/** Formats an error and its cause, in which `fetch` gives the reason, without characters that PostgreSQL cannot store. */
export function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  return (messageOf(error) + cause).replaceAll('\0', '').slice(0, ERROR_LENGTH).toWellFormed();
}
