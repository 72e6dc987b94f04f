/** The number of rows between two reports of progress. */
const INTERVAL_ROWS = 10_000;

const BAR_LENGTH = 40;

/** Clears a bar on a terminal. */
export const CLEAR_BAR = process.stderr.isTTY ? '\r\x1B[K' : '';

/**
 * Shows the progress on stderr from time to time: as a bar on a terminal, and as lines elsewhere.
 *
 * @param part the part of the input that was read, from 0 to 1. Not finite if the size of the input is unknown
 */
export function showProgress(rows: number, part: number): void {
  if (rows % INTERVAL_ROWS !== 0) return;
  const isBar = process.stderr.isTTY && Number.isFinite(part);
  const bar = isBar ? '='.repeat(BAR_LENGTH * part).padEnd(BAR_LENGTH, '-') : '';
  process.stderr.write(isBar ? `${CLEAR_BAR}${bar} ${rows} rows` : `${rows} rows read\n`);
}
