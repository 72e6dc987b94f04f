import { InvalidRequest } from '../../domain/errors.js';
import { JsonTooComplex, parseJson } from '../../domain/json.js';
import { type Line, textOf } from './lines.js';
import { type Row, toRow } from './row.js';

/** Reads a NewPet from each line. Skips lines that contain only white space. */
export async function* readNdjson(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const { number, bytes } of lines) {
    if (bytes.some((byte) => !WHITE_SPACE.has(byte)))
      yield await toRow(number, () => parseObject(textOf(bytes)));
  }
}

/** The white space of JSON. */
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

function parseObject(text: string): object {
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidRequest('The row is not a JSON object.');
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooComplex)
      throw new InvalidRequest(`The row contains ${error.message}.`, error);
    throw new InvalidRequest('The row is not valid JSON.', error);
  }
}
