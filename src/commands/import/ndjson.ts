import { InvalidRequest } from '../../domain/domain-error.js';
import { parseJson } from '../../domain/json.js';
import { type Line, textOf } from './lines.js';
import { type Row, toRow } from './row.js';

/** Reads a NewPet of each line. Lines of nothing but white space are skipped. */
export async function* readNdjson(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const { number, bytes } of lines) {
    if (bytes.some((byte) => !WHITE_SPACE.has(byte)))
      yield await toRow(number, () => parseObject(textOf(bytes)));
  }
}

/** What JSON takes for white space. */
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

function parseObject(text: string): object {
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidRequest('It is not a JSON object.');
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidRequest('It is not JSON.', error);
  }
}
