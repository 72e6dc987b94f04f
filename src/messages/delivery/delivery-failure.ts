import { messageOf } from '../../domain/message-of.js';

const FIRST_RETRY_AFTER_MS = 5000;
const RETRY_GROWTH = 3;
const MAX_RETRY_AFTER_MS = 6 * 60 * 60 * 1000;

const ERROR_LENGTH = 1000;
const MAX_CAUSES = 5;

/** Returns the back-off after a failed attempt. The jitter of 10 % spreads the retries of concurrent failures. */
export function backOff(attempt: number): number {
  const waitMs = Math.min(FIRST_RETRY_AFTER_MS * RETRY_GROWTH ** (attempt - 1), MAX_RETRY_AFTER_MS);
  return Math.round(waitMs * (0.9 + Math.random() / 5));
}

/** Formats an error and its causes for operators, without characters that PostgreSQL cannot store. */
export function describeError(error: unknown): string {
  return messagesOf(error, MAX_CAUSES).join(': ').replaceAll('\0', '').slice(0, ERROR_LENGTH).toWellFormed();
}

/** Returns the messages of an error and its causes. The reason for a failed `fetch` is only in its cause. */
function messagesOf(error: unknown, depth: number): string[] {
  const cause = depth > 0 ? causeOf(error) : undefined;
  return [messageOf(error), ...(cause === undefined ? [] : messagesOf(cause, depth - 1))];
}

/** Returns the cause of an error. Never throws, although `cause` of a value can. */
function causeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined;
  } catch {
    return undefined;
  }
}
