import { InvalidRequest } from '../../domain/errors.js';
import { EventLoopTurn } from './event-loop-turn.js';

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
  let pieces: Buffer[] = [];
  let missingBytes = ROW_LIMIT_BYTES + 1;
  const add = (piece: Buffer) => {
    if (missingBytes > 0) pieces.push(piece.subarray(0, missingBytes));
    missingBytes -= piece.length;
  };
  const end = () => {
    const line = toLine(number++, pieces);
    pieces = [];
    missingBytes = ROW_LIMIT_BYTES + 1;
    return line;
  };
  const turn = new EventLoopTurn();
  for await (const chunk of chunks) {
    let start = 0;
    for (let at; (at = chunk.indexOf(LINE_FEED, start)) !== -1; start = at + 1) {
      add(chunk.subarray(start, at));
      yield end();
      await turn.yieldIfLong();
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (pieces.length > 0) yield end();
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

function toLine(number: number, pieces: readonly Buffer[]): Line {
  const [piece] = pieces;
  const bytes = piece && pieces.length === 1 ? piece : Buffer.concat(pieces);
  const marked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { number, bytes: marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes };
}
