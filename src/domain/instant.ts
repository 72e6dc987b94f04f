let last = new Date(NaN);
let lastText = '';

/** A moment as text, in UTC (RFC 3339). Those that are written next to each other are mostly the same. */
export function textOfInstant(date: Date): string {
  if (date.getTime() !== last.getTime()) [last, lastText] = [date, date.toISOString()];
  return lastText;
}
