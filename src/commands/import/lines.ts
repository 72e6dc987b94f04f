import { InvalidRequest } from '../../domain/domain-error.js';
import { Pace } from './pace.js';

/** A line of the input, without the line feed at its end. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** The maximum size of a row: the default limit of a request body. */
export const ROW_LIMIT_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Splits bytes into lines at line feeds only, because names may contain the other line separators of Unicode. Truncates
 * long lines to one byte more than {@link textOf} accepts.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, undefined> {
  let number = 1;
  let begun: Buffer = Buffer.alloc(0);
  const pace = new Pace();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
      yield toLine(number++, append(begun, chunk.subarray(start, end)));
      begun = Buffer.alloc(0);
      await pace.keep();
    }
    begun = append(begun, chunk.subarray(start));
  }
  if (begun.length > 0) yield toLine(number, begun);
  return undefined;
}

/**
 * Decodes the text of a row.
 *
 * @throws InvalidRequest when the row is too long or is not in UTF-8
 */
export function textOf(bytes: Buffer): string {
  if (bytes.length > ROW_LIMIT_BYTES) throw new InvalidRequest(`The row exceeds ${ROW_LIMIT_BYTES} bytes.`);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new InvalidRequest('The row is not in UTF-8.', error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function append(begun: Buffer, more: Buffer): Buffer {
  if (begun.length === 0) return more.subarray(0, ROW_LIMIT_BYTES + 1);
  return begun.length > ROW_LIMIT_BYTES
    ? begun
    : Buffer.concat([begun, more]).subarray(0, ROW_LIMIT_BYTES + 1);
}

function toLine(number: number, bytes: Buffer): Line {
  const marked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { number, bytes: marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes };
}
