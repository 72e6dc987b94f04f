import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { addAbortSignal, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import { CsvError, parse } from 'csv-parse';

import { OperatorError } from '../../config/config.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';
import type { Columns } from './columns.js';

/** The supported formats. */
export const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

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

/** The number of rows between two reports of progress on stderr. */
const PROGRESS_ROWS = 10_000;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Reads the rows of a file, or of stdin for `-`, and reports the progress. Skips blank rows and a byte order mark.
 *
 * @param columns the columns of a CSV file
 * @param signal ends the reading, and its reason is thrown
 * @param format default: by the name of the file, or else by its first character
 * @throws ImportStopped when the file cannot be read
 */
export async function* readRows(
  path: string,
  columns: Columns,
  signal: AbortSignal,
  format?: Format,
): AsyncGenerator<Row> {
  let nextLine = 1;
  let rows = 0;
  try {
    const file = path === '-' ? undefined : await open(path);
    const stream = addAbortSignal(signal, file?.createReadStream() ?? process.stdin);
    await once(stream, 'readable');
    const chunk = (stream.read() as Buffer | null) ?? Buffer.alloc(0);
    const start = chunk.indexOf(BYTE_ORDER_MARK) === 0 ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
    stream.unshift(start);
    const isCsv = (format ?? formatOf(path, start)) === 'csv';
    const checkHeader = (header: string[]) => {
      nextLine += countLines(header.join(''));
      return columns.check(header);
    };
    const parser = parse<Row, Record<string, string>>({
      // A record of NDJSON is a line with one field. Names may contain the other line separators of Unicode.
      record_delimiter: ['\n', '\r\n'],
      ...(isCsv ? { columns: checkHeader } : { columns: ['json'], delimiter: '\n', quote: null }),
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
          json: error ? undefined : Buffer.from(isCsv ? columns.toJson(fields) : text, 'latin1'),
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

/** Handles each chunk in a turn of the event loop, so that signals and the database are not kept waiting. */
async function* inTurns(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    await setImmediate();
  }
}

const countLines = (text: string) => text.split('\n').length;

function formatOf(path: string, start: Buffer): Format {
  const named = FORMATS.find((format) => path.toLowerCase().endsWith(`.${format}`));
  // NDJSON starts with the brace of an object. The header of a CSV file does not.
  return named ?? (start.toString('latin1').trimStart().startsWith('{') ? 'ndjson' : 'csv');
}

function reasonOf({ code }: CsvError): string {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `the row exceeds ${BODY_LIMIT_BYTES} bytes, or a quote is not closed`
    : 'the row has invalid quotes: quotes must enclose a whole field, and be doubled inside it';
}
