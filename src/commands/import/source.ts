import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

import { readCsv } from './csv.js';
import { ImportError } from './import-error.js';
import { type Line, linesOf } from './lines.js';
import { readNdjson } from './ndjson.js';
import type { Row } from './row.js';

/** The supported formats. */
export const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** The input of an import. */
export interface Source {
  readonly rows: AsyncIterable<Row>;
  /** The length of the input, or undefined for a stream. */
  readonly sizeBytes: number | undefined;
  /** Returns the number of bytes that were read. */
  readonly positionBytes: () => number;
}

/**
 * Opens a file, or stdin for `-`. Without a format, the name of the file or else its first character determines it.
 *
 * @param signal aborts the reading: the rows then throw its reason
 * @throws ImportError when the file cannot be opened. The rows throw it when the file cannot be read
 */
export async function openSource(
  path: string,
  signal: AbortSignal,
  format = formatOf(path),
): Promise<Source> {
  const name = path === '-' ? 'stdin' : path;
  if (path === '-') {
    return {
      rows: rowsOf(read(process.stdin, name, signal), format),
      sizeBytes: undefined,
      positionBytes: () => 0,
    };
  }
  try {
    const file = await open(path);
    const stat = await file.stat();
    const stream = file.createReadStream();
    return {
      rows: rowsOf(read(stream, name, signal), format),
      sizeBytes: stat.isFile() ? stat.size : undefined,
      positionBytes: () => stream.bytesRead,
    };
  } catch (error) {
    throw unreadable(name, error);
  }
}

function formatOf(path: string): Format | undefined {
  return FORMATS.find((format) => path.toLowerCase().endsWith(`.${format}`));
}

async function* rowsOf(chunks: AsyncIterable<Buffer>, format: Format | undefined): AsyncGenerator<Row> {
  const lines = linesOf(chunks);
  let first = (await lines.next()).value;
  while (first && !startOf(first)) first = (await lines.next()).value;
  const all = prepend(first, lines);
  yield* (format ?? guessFormat(first)) === 'csv' ? readCsv(all) : readNdjson(all);
}

/** NDJSON starts with the brace of an object. The header of a CSV file does not. */
function guessFormat(first: Line | undefined): Format {
  return first && startOf(first) === '{' ? 'ndjson' : 'csv';
}

/** Returns the first character of a line that is not white space. */
function startOf({ bytes }: Line): string {
  return bytes.toString('latin1').trimStart().charAt(0);
}

async function* prepend(first: Line | undefined, rest: AsyncIterable<Line>): AsyncGenerator<Line, undefined> {
  if (first) yield first;
  yield* rest;
  return undefined;
}

async function* read(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* addAbortSignal(signal, stream) as AsyncIterable<Buffer>;
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(name, error);
  }
}

function unreadable(name: string, cause: unknown): ImportError {
  return new ImportError(`cannot read ${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
}
