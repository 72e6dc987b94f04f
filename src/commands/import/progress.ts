import { MultiBar, type SingleBar } from 'cli-progress';

import type { Source } from './source.js';

/** The number of rows between two lines of progress. */
const ROWS_A_LINE = 10_000;

/** Counts the rows and shows progress on stderr: as a bar on a terminal, as lines elsewhere. */
export class Progress {
  imported = 0;
  refused = 0;

  private rows = 0;
  private readonly display: MultiBar | undefined;
  private readonly bar: SingleBar | undefined;

  constructor(private readonly source: Source) {
    if (!process.stderr.isTTY || !source.sizeBytes) return;
    this.display = new MultiBar({ format: '{bar} {percentage}% | {rows} rows', stream: process.stderr });
    this.bar = this.display.create(source.sizeBytes, 0, { rows: 0 });
  }

  /** Counts a row. */
  advance(): void {
    this.rows++;
    this.bar?.update(this.source.positionBytes(), { rows: this.rows });
    if (!this.bar && this.rows % ROWS_A_LINE === 0) process.stderr.write(`${this.rows} rows read\n`);
  }

  /** Counts a refused row and reports the reason. */
  refuse(line: number, reason: string): void {
    this.refused++;
    const text = `line ${line}: ${reason}\n`;
    if (this.display) this.display.log(text);
    else process.stderr.write(text);
  }

  /** Ends the display. */
  stop(): void {
    // The bar writes its log when it is drawn, and stop() alone does not draw it.
    this.display?.update();
    this.display?.stop();
  }

  toString(): string {
    return `imported ${this.imported}, refused ${this.refused}`;
  }
}
