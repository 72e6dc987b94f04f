import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import { CsvError, parse } from 'csv-parse';

import { OperatorError } from '../../config/config.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';
import type { Columns } from './columns.js';

/** A row of the input. */
export interface Row {
  /** The number of the first line. */
  readonly line: number;
  /** The row in JSON. Undefined if it does not have a field for each column. */
  readonly json: Buffer | undefined;
}

/** The import has failed, and its transaction is rolled back. */
export class ImportStopped extends OperatorError {
  constructor(reason: string) {
    super(`${reason}; no row was imported`);
  }
}

const PROGRESS_ROWS = 10_000;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Reads the rows of a file, or of stdin for `-`, and reports the progress. Skips blank rows and a byte order mark.
 *
 * @param columns the columns of a CSV file. Undefined if the file is NDJSON
 * @param signal ends the reading, and its reason is thrown
 * @throws ImportStopped when the file cannot be read
 */
export async function* readRows(
  path: string,
  columns: Columns | undefined,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  let nextLine = 1;
  let rows = 0;
  try {
    const stream = addAbortSignal(signal, path === '-' ? process.stdin : createReadStream(path));
    const checkHeader = (header: string[]) => {
      nextLine += countLines(header.join(''));
      return columns?.check(header) ?? header;
    };
    const parser = parse<Row, Record<string, string>>({
      // A record of NDJSON is a line with one field. Names may contain the other line separators of Unicode.
      record_delimiter: ['\n', '\r\n'],
      ...(columns ? { columns: checkHeader } : { columns: ['json'], delimiter: '\n', quote: null }),
      relax_column_count: true,
      max_record_size: BODY_LIMIT_BYTES,
      // Each byte becomes a character. So the limit counts bytes, and invalid UTF-8 affects only its row.
      encoding: 'latin1',
      // Called when a record ends, so nextLine is the first line of a record that cannot be read.
      on_record: (fields, { error }: { error?: CsvError }) => {
        const text = Object.values(fields).join('');
        const line = nextLine;
        nextLine += countLines(text);
        if (text.trim() === '') return null;
        return {
          line,
          json: error ? undefined : Buffer.from(columns?.toJson(fields) ?? text, 'latin1'),
        };
      },
    });
    // The loop throws the error that the callback ignores.
    for await (const row of pipeline(stream, inTurns, parser, () => undefined) as AsyncIterable<Row>) {
      if (++rows % PROGRESS_ROWS === 0) process.stderr.write(`${rows} rows read\n`);
      yield row;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CsvError) throw new ImportStopped(`line ${nextLine}: ${reasonOf(error)}`);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new ImportStopped(`cannot read ${path}: ${error.message}`);
  }
}

/**
 * Handles each chunk in a turn of the event loop, so that signals and the database are not kept waiting. Removes the byte
 * order mark.
 */
async function* inTurns(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const hasMark = isFirst && chunk.indexOf(BYTE_ORDER_MARK) === 0;
    yield hasMark ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
    isFirst = false;
    await setImmediate();
  }
}

const countLines = (text: string) => text.split('\n').length;

function reasonOf({ code }: CsvError): string {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `the row exceeds ${BODY_LIMIT_BYTES} bytes, or a quote is not closed`
    : 'the row has invalid quotes: quotes must enclose a whole field, and be doubled inside it';
}
