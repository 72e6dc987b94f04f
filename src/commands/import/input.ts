import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import { OperatorError, program } from '../../config/config.js';

export const FORMATS = ['csv', 'ndjson', 'json'] as const;

/** CSV with any separator, a JSON object on each line, or one JSON array. */
export type Format = (typeof FORMATS)[number];

/** A row of the input. */
export interface Row {
  /** Where the row begins: `line 3`, or `element 3` of an array. */
  readonly place: string;
  /** The row in JSON. Undefined if it does not have a field for each column. */
  readonly json: Buffer | undefined;
  /** The fields of a row of CSV, in which each byte is a character. */
  readonly fields?: Readonly<Record<string, string>>;
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
  /** The first line that is not blank, in which each byte is a character, and its number. */
  readonly firstLine: string;
  readonly firstLineNumber: number;
  readonly lineEnd: '\n' | '\r';
  /** The content from the first line on. */
  readonly content: AsyncIterable<Buffer>;
}

/** The beginning of the input that decides its format. A header has to end in it. */
const HEAD_BYTES = 64 * 1024;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The first bytes of a ZIP archive, such as a workbook, and of a compressed file. */
const ZIP = Buffer.from([0x50, 0x4b, 3, 4]);
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Opens a file, or stdin for `-`, and finds its format, by the option or else by its first character.
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
  const chunks = (stream as AsyncIterable<Buffer, undefined>)[Symbol.asyncIterator]();
  const read = () => chunks.next().catch((error: unknown) => rethrow(error, path, signal));
  const head = await readHead(read);
  refuseOtherFormats(head, path);
  const mark = head.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const text = head.toString('latin1', mark);
  if (text.trim() === '') throw new ImportStopped('the file is empty');
  const [blankLines = ''] = /^(?:[^\S\r\n]*(?:\r\n?|\n))*/.exec(text) ?? [];
  const [firstLine = ''] = text.slice(blankLines.length).split(/\r\n?|\n/, 1);
  return {
    format: given ?? formatOf(firstLine.trim(), path),
    firstLine,
    firstLineNumber: blankLines.split(/\r\n?|\n/).length,
    lineEnd: text.includes('\r') && !text.includes('\n') ? '\r' : '\n',
    content: contentOf(head.subarray(mark + blankLines.length), read),
  };
}

/** Reads the next chunk. */
type Read = () => Promise<IteratorResult<Buffer, undefined>>;

/** Reads until the end of the first line that is not blank. */
async function readHead(read: Read): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await read();
    if (done) return head;
    head = Buffer.concat([head, value]);
    const text = head.toString('latin1').trimStart();
    if (text.length > HEAD_BYTES || /[\r\n]./s.test(text)) return head;
  }
}

/** @throws the reason of the interruption, an ImportStopped when the file cannot be read, or the error */
function rethrow(error: unknown, path: string, signal: AbortSignal): never {
  signal.throwIfAborted();
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  throw new ImportStopped(`cannot read ${path}: ${error.message}`);
}

/** Yields each chunk in a turn of the event loop, so that signals and the database are not kept waiting. */
async function* contentOf(head: Buffer, read: Read): AsyncGenerator<Buffer> {
  yield head;
  for (;;) {
    await setImmediate();
    const { done, value } = await read();
    if (done) return;
    yield value;
  }
}

/** @throws ImportStopped when the first bytes are those of a format that people have instead */
function refuseOtherFormats(head: Buffer, path: string): void {
  const [first, second] = head;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Without a mark, each letter of a header is a byte beside a zero.
  const isUtf16 = hasMark || first === 0 || second === 0;
  if (isUtf16) throw new ImportStopped('the file is in UTF-16: save it as UTF-8');
  if (head.subarray(0, ZIP.length).equals(ZIP)) {
    throw new ImportStopped('the file is a workbook or a ZIP archive: save the sheet as CSV');
  }
  if (head.subarray(0, GZIP.length).equals(GZIP)) {
    // A shell would execute parts of other names.
    const file = /^[\w./][\w./-]*$/.test(path) ? path : 'FILE';
    throw new ImportStopped(`the file is compressed: run \`gunzip -c ${file} | ${program.name} import -\``);
  }
}

function formatOf(firstLine: string, path: string): Format {
  if (firstLine.startsWith('[')) return 'json';
  if (!firstLine.startsWith('{')) return /\.(?:ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv';
  // A line of NDJSON is a whole object.
  if (/\.json$/i.test(path) || !firstLine.endsWith('}')) {
    throw new ImportStopped('the file contains an object, not an array of animals');
  }
  return 'ndjson';
}
