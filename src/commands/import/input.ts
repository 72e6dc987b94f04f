import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

import { OperatorError } from '../../config/config.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';

export const FORMATS = ['csv', 'ndjson', 'json'] as const;

/** CSV with any separator, a JSON object on each line, or one JSON array. */
export type Format = (typeof FORMATS)[number];

/** A row of the input. */
export interface Row {
  /** Where the row begins: `line 3`, or `element 3` of an array. */
  readonly place: string;
  /** The row in JSON. Undefined if it does not have a field for each column. */
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

/** An input whose format is known. */
export interface Input {
  readonly format: Format;
  /** The first line that is not blank, in which each byte is a character. */
  readonly firstLine: string;
  /** The number of blank lines before it. */
  readonly blankLines: number;
  readonly lineEnd: '\n' | '\r';
  /** The content from the first line on. */
  readonly content: AsyncIterable<Buffer>;
}

/** A header, or the first row of NDJSON, has to end in this part of the input. */
const HEAD_BYTES = BODY_LIMIT_BYTES;

const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;

const GZIP = '\u001F\u008B';

const UNPACK = 'unpack it, and import its content';
const SAVE_AS_CSV = 'save the sheet as CSV';

/** The first bytes of files that people have instead, and what to do. */
const OTHER_FORMATS: Readonly<Record<string, string>> = {
  'PK\u0003\u0004': `a workbook or a ZIP archive: ${SAVE_AS_CSV}`,
  '\u00D0\u00CF\u0011\u00E0': `a workbook (.xls): ${SAVE_AS_CSV}`,
  BZh: `compressed by bzip2: ${UNPACK}`,
  '\u00FD7zXZ': `compressed by xz: ${UNPACK}`,
  '(\u00B5/\u00FD': `compressed by zstd: ${UNPACK}`,
  '7z\u00BC\u00AF': `a 7z archive: ${UNPACK}`,
  'PAR1\u0015': 'in Parquet: export it as CSV or NDJSON',
};

/**
 * Opens a file, or stdin for `-`, unpacks gzip, and finds the format, by the option or else by the first character.
 *
 * @param signal ends the reading
 * @throws ImportStopped when the file is empty or has a format that cannot be imported
 */
export async function openInput(
  path: string,
  given: Format | undefined,
  signal: AbortSignal,
): Promise<Input> {
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
  const { blankLines } = head;
  const text = head.text.replace(BYTE_ORDER_MARK, '');
  refuseOtherFormats(head.text);
  if (text.trim() === '') throw new ImportStopped('the file is empty');
  const [firstLine = ''] = text.split(/\r\n?|\n/, 1);
  return {
    format: given ?? formatOf(firstLine.trim()),
    firstLine,
    blankLines,
    lineEnd: text.includes('\r') && !text.includes('\n') ? '\r' : '\n',
    content: contentOf(text, read),
  };
}

/** Reads the next chunk. */
type Read = () => Promise<IteratorResult<Buffer, undefined>>;

/** Blank lines at the beginning, after a byte order mark. More of a line end may follow a return. */
const BLANK_LINES = /^(?:\u00EF\u00BB\u00BF)?\s*(?:\n|\r(?!$))/;

/** Skips blank lines, and reads until the end of the first other line. */
async function readHead(read: Read): Promise<{ text: string; blankLines: number }> {
  let text = '';
  let blankLines = 0;
  for (;;) {
    const { done, value } = await read();
    if (done) return { text, blankLines };
    text += value.toString('latin1');
    // Dropped as they come, so that the time grows only with their number.
    const [blank] = BLANK_LINES.exec(text) ?? [''];
    blankLines += blank.split(/\r\n?|\n/).length - 1;
    text = text.slice(blank.length);
    if (text.length > HEAD_BYTES) text = text.trimStart();
    if (text.length > HEAD_BYTES || /[\r\n]./s.test(text)) return { text, blankLines };
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

/** @throws ImportStopped when the first bytes are those of a format that people have instead */
function refuseOtherFormats(head: string): void {
  const hasMark = /^(?:\u00FF\u00FE|\u00FE\u00FF)/.test(head);
  // Without a mark, each letter of a header is a byte beside a zero.
  if (hasMark || head.slice(0, 2).includes('\0')) {
    throw new ImportStopped('the file is in UTF-16: save it as UTF-8');
  }
  const [, found] = Object.entries(OTHER_FORMATS).find(([signature]) => head.startsWith(signature)) ?? [];
  if (found !== undefined) throw new ImportStopped(`the file is ${found}`);
  // The header of a tar archive, which gzip usually compresses.
  if (head.startsWith('ustar', 257)) throw new ImportStopped(`the file is a tar archive: ${UNPACK}`);
}

function formatOf(firstLine: string): Format {
  if (firstLine.startsWith('[')) return 'json';
  if (!firstLine.startsWith('{')) return 'csv';
  // A line of NDJSON is a whole object.
  if (firstLine.length < HEAD_BYTES && !firstLine.endsWith('}')) {
    throw new ImportStopped('the file contains an object over several lines, not an array of animals');
  }
  return 'ndjson';
}
