import { cpus, totalmem } from 'node:os';

/** Returns the processors and the memory of this machine. */
export function machine(): string {
  const cpu = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  return `${cpu}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/**
 * Formats a table in Markdown.
 *
 * @param texts the number of columns with text. The others contain figures
 */
export function table(heads: readonly string[], rows: readonly string[][], texts = 1): string {
  const rule = heads.map((_, index) => (index < texts ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a figure as a whole number. */
export const figure = (value: number) => Math.round(value).toLocaleString('en');
