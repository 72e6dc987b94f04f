import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

import { OperatorError } from '../../config/config.errors.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';

export interface Row {
  /** Where the row begins: `line 3`, or `element 3` of an array. */
  readonly place: string;
  readonly json: Buffer | undefined;
  /** The text of a row of CSV, in which each byte is a character. */
  readonly csv?: CsvRow;
}

export interface CsvRow {
  readonly header: readonly string[];
  readonly fields: readonly string[];
  readonly separator: string;
}

/** The import has failed, and its transaction is rolled back. */
export class ImportStopped extends OperatorError {
  constructor(reason: string) {
    super(`${reason}; no row was imported`);
  }
}

/** An input whose format is known: CSV with any separator, a JSON object on each line, or one JSON array. */
export interface Input {
  readonly format: 'csv' | 'ndjson' | 'json';
  /** The first line that is not blank, in which each byte is a character. */
  readonly firstLine: string;
  readonly content: AsyncIterable<Buffer>;
}

/** A header has to end in this part of the input. */
const HEAD_BYTES = BODY_LIMIT_BYTES;

const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;

const GZIP = '\u001F\u008B';

const UNPACK = 'unpack it, and import its content';
const SAVE_AS_CSV = 'save the sheet as CSV';
const SAVE_AS_UTF8 = 'in UTF-16: save it as UTF-8';

/** The first bytes of files that people have instead, and what to do. */
const OTHER_FORMATS: Readonly<Record<string, string>> = {
  '\u00FF\u00FE': SAVE_AS_UTF8,
  '\u00FE\u00FF': SAVE_AS_UTF8,
  'PK\u0003\u0004': `a workbook or a ZIP archive: ${SAVE_AS_CSV}`,
  '\u00D0\u00CF\u0011\u00E0': `a workbook (.xls): ${SAVE_AS_CSV}`,
  BZh: `compressed by bzip2: ${UNPACK}`,
  '\u00FD7zXZ': `compressed by xz: ${UNPACK}`,
  '(\u00B5/\u00FD': `compressed by zstd: ${UNPACK}`,
  '7z\u00BC\u00AF': `a 7z archive: ${UNPACK}`,
  'PAR1\u0015': 'in Parquet: export it as CSV or NDJSON',
};

/**
 * Opens a file, or stdin for `-`, unpacks gzip, and finds the format by the first character. The signal ends the reading.
 *
 * @throws ImportStopped
 */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  const stream = addAbortSignal(signal, path === '-' ? process.stdin : createReadStream(path));
  const readerOf = (chunks: AsyncIterable<Buffer>): Read => {
    const iterator = chunks[Symbol.asyncIterator]();
    return () => iterator.next().catch((error: unknown) => rethrow(error, path, signal));
  };
  let read = readerOf(stream as AsyncIterable<Buffer>);
  let head = await readHead(read);
  if (head.text.startsWith(GZIP)) {
    // The reader throws the errors that the callback ignores.
    read = readerOf(pipeline(contentOf(head.text, read), createGunzip(), () => undefined));
    head = await readHead(read);
  }
  const { text, firstLine } = head;
  const [, found] = Object.entries(OTHER_FORMATS).find(([start]) => text.startsWith(start)) ?? [];
  if (found !== undefined) throw new ImportStopped(`the file is ${found}`);
  if (firstLine === '') throw new ImportStopped('the file is empty');
  const format = firstLine.startsWith('[') ? 'json' : firstLine.startsWith('{') ? 'ndjson' : 'csv';
  return { format, firstLine, content: contentOf(text.replace(BYTE_ORDER_MARK, ''), read) };
}

type Read = () => Promise<IteratorResult<Buffer, undefined>>;

/** Reads until the end of the first line that is not blank. */
async function readHead(read: Read): Promise<{ text: string; firstLine: string }> {
  let text = '';
  let line = '';
  for (;;) {
    const { done, value } = await read();
    if (value) {
      const chunk = value.toString('latin1');
      text += chunk;
      line = (line + chunk).replace(BYTE_ORDER_MARK, '').trimStart();
    }
    if (done || line.length > HEAD_BYTES || line.includes('\n')) {
      return { text, firstLine: line.split(/\r?\n/, 1)[0] ?? '' };
    }
  }
}

/** @throws the reason of the interruption, an ImportStopped when the file cannot be read, or the error */
function rethrow(error: unknown, path: string, signal: AbortSignal): never {
  signal.throwIfAborted();
  if (!(error instanceof Error)) throw error;
  if ('syscall' in error) throw new ImportStopped(`cannot read ${path}: ${error.message}`);
  if ('code' in error && String(error.code).startsWith('Z_'))
    throw new ImportStopped(`the gzip file is cut off or damaged (${error.message})`);
  throw error;
}

/** Yields each chunk in a turn of the event loop, so that signals and the database are not kept waiting. */
async function* contentOf(head: string, read: Read): AsyncGenerator<Buffer, undefined> {
  yield Buffer.from(head, 'latin1');
  for (;;) {
    await setImmediate();
    const { done, value } = await read();
    if (done) return;
    yield value;
  }
}
