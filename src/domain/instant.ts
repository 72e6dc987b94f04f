let lastMs = NaN;
let lastText = '';

/** A moment as text, in UTC (RFC 3339). Those that are written next to each other are mostly the same. */
export function textOfInstant(date: Date): string {
  const ms = date.getTime();
  if (ms !== lastMs) [lastMs, lastText] = [ms, date.toISOString()];
  return lastText;
}
