import { messageOf } from '../../domain/errors.js';
import { AttemptFailed } from './message-delivery.js';

const FIRST_RETRY_AFTER_MS = 5000;
const RETRY_GROWTH = 3;
const MAX_RETRY_AFTER_MS = 6 * 60 * 60 * 1000;

const ERROR_LENGTH = 1000;
const MAX_CAUSES = 5;

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

/** Formats an error and its causes for operators, without characters that PostgreSQL cannot store. */
export function describeError(error: unknown): string {
  return messagesOf(error, MAX_CAUSES).join(': ').replaceAll('\0', '').slice(0, ERROR_LENGTH).toWellFormed();
}

/** Returns the messages of an error and its causes. The reason for a failed `fetch` is only in its cause. */
function messagesOf(error: unknown, depth: number): string[] {
  const message = messageOf(error);
  try {
    const hasCause = error instanceof Error && error.cause !== undefined && depth > 0;
    return hasCause ? [message, ...messagesOf(error.cause, depth - 1)] : [message];
  } catch {
    return [message];
  }
}
