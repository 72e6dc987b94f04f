/**
 * Returns the message of anything that was thrown. The message of an AggregateError is in its errors. Never throws,
 * although `message` and `toString` of a value can.
 */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join(', ');
    return String(error instanceof Error ? error.message || error.name : error);
  } catch {
    return 'an error without a readable message';
  }
}
