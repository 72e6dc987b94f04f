import { printable } from './printable.js';

const GAP = '  ';

/** Longer cells are truncated. */
const MAX_CELL_LENGTH = 100;

type Cell = string | bigint | number | Date | null;

/** The columns of a table, from left to right: the heading, and a function that returns the cell of an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => Cell>>;

/**
 * Formats items as a table for people, page by page. A column becomes wider when a later page needs it.
 *
 * @returns the text of each page, the first one with the headings
 */
export async function* table<Item>(
  columns: Columns<Item>,
  pages: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>,
): AsyncGenerator<string> {
  let lines = [Object.keys(columns)];
  let widths = Object.keys(columns).map(() => 0);
  for await (const page of pages) {
    lines.push(...page.map((item) => Object.values(columns).map((cellOf) => textOf(cellOf(item)))));
    widths = widths.map((width, column) =>
      lines.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), width),
    );
    yield lines.map((line) => formatLine(line, widths)).join('');
    lines = [];
  }
}

function formatLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join(GAP).trimEnd()}\n`;
}

function textOf(cell: Cell): string {
  if (cell === null) return '-';
  return cell instanceof Date ? cell.toISOString() : cut(printable(String(cell)));
}

function cut(text: string): string {
  if (text.length <= MAX_CELL_LENGTH) return text;
  // A cut through a surrogate pair leaves half of it.
  return `${text.slice(0, MAX_CELL_LENGTH - 1).replace(/\p{Cs}$/u, '')}…`;
}
