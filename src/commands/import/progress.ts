import { MultiBar, type SingleBar } from 'cli-progress';

import type { Source } from './source.js';

/** How many rows lie between two lines that tell of progress. */
const ROWS_A_LINE = 10_000;

/** Counts what becomes of the rows, and shows it on stderr: as a bar on a terminal, as plain lines elsewhere. */
export class Progress {
  imported = 0;
  refused = 0;

  private rows = 0;
  private readonly display: MultiBar | undefined;
  private readonly bar: SingleBar | undefined;

  constructor(private readonly source: Source) {
    if (!process.stderr.isTTY || !source.size) return;
    this.display = new MultiBar({ format: '{bar} {percentage}% | {rows} rows', stream: process.stderr });
    this.bar = this.display.create(source.size, 0, { rows: 0 });
  }

  /** Another row was read. */
  advance(): void {
    this.rows++;
    this.bar?.update(this.source.position(), { rows: this.rows });
    if (!this.bar && this.rows % ROWS_A_LINE === 0) process.stderr.write(`${this.rows} rows read\n`);
  }

  /** Another row is none that can be imported. */
  refuse(line: number, reason: string): void {
    this.refused++;
    const text = `line ${line}: ${reason}\n`;
    if (this.display) this.display.log(text);
    else process.stderr.write(text);
  }

  /** Leaves the terminal as it was. */
  stop(): void {
    // The bar writes what it was given to log when it is drawn, which stopping alone does not do.
    this.display?.update();
    this.display?.stop();
  }

  toString(): string {
    return `imported ${this.imported}, refused ${this.refused}`;
  }
}
