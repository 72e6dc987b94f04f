const RETRY_GROWTH = 3;
const MAX_RETRY_AFTER_MS = 6 * 60 * 60 * 1000;

const ERROR_LENGTH = 1000;
const MAX_CAUSES = 5;

/** The wait after an attempt, give or take a tenth, so that what failed together is not tried together. */
export function retryAfter(attempt: number, firstMs: number): number {
  const waitMs = Math.min(firstMs * RETRY_GROWTH ** (attempt - 1), MAX_RETRY_AFTER_MS);
  return Math.round(waitMs * (0.9 + Math.random() / 5));
}

/** What an operator is told of an error and of what lies behind it, as the database can keep it. */
export function textOf(error: unknown): string {
  return messagesOf(error, MAX_CAUSES).join(': ').replaceAll('\0', '').slice(0, ERROR_LENGTH).toWellFormed();
}

/** The messages of an error and its causes. A `fetch` that fails says why in its cause alone. */
function messagesOf(error: unknown, depth: number): string[] {
  if (!(error instanceof Error) || depth === 0) return [String(error)];
  const behind = (one: unknown) => messagesOf(one, depth - 1);
  const all =
    error instanceof AggregateError ? error.errors.map((one) => behind(one).join(': ')).join(', ') : '';
  const own = error.message || all || error.name;
  return error.cause === undefined ? [own] : [own, ...behind(error.cause)];
}
