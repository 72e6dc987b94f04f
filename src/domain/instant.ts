let lastMs = NaN;
let lastText = '';

/**
 * A moment as text, in UTC (RFC 3339). The last one is kept: that of a message is written twice, and messages that arrive
 * together share it.
 */
export function textOfInstant(date: Date): string {
  const ms = date.getTime();
  if (ms !== lastMs) [lastMs, lastText] = [ms, date.toISOString()];
  return lastText;
}
