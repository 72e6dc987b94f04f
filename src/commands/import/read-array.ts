import {
  type ParsedElementInfo,
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
} from '@streamparser/json';

import { BODY_LIMIT_BYTES } from '../../limits.js';
import { ImportStopped, type Row } from './input.js';

// The library of TypeScript lacks this part of ECMAScript's "JSON.parse source text access".
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => number };

/** Keeps the text of each number, so that `JSON.stringify` writes large integers exactly. */
class ExactTokenizer extends Tokenizer {
  protected override parseNumber(text: string): number {
    return rawJSON(text);
  }
}

/**
 * Reads the elements of a JSON array, without keeping them.
 *
 * @throws ImportStopped when the text is not a JSON array in UTF-8, or when an element is too large
 */
export async function* readArray(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const rows: Row[] = [];
  let count = 0;
  /** The number of bytes that were read since the end of the last element. */
  let unfinishedBytes = 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const tokenizer = new ExactTokenizer();
  const parser = new TokenParser({ paths: ['$.*'], keepStack: false });
  tokenizer.onToken = (token) => parser.write(token);
  parser.onValue = ({ value }: ParsedElementInfo) => {
    rows.push({ place: `element ${++count}`, json: Buffer.from(JSON.stringify(value)) });
    unfinishedBytes = 0;
  };
  try {
    for await (const chunk of content) {
      unfinishedBytes += chunk.length;
      tokenizer.write(decoder.decode(chunk, { stream: true }));
      if (
        rows.some(({ json }) => (json?.length ?? 0) > BODY_LIMIT_BYTES) ||
        unfinishedBytes > 2 * BODY_LIMIT_BYTES
      ) {
        throw new ImportStopped(`the element ${count + 1} exceeds ${BODY_LIMIT_BYTES} bytes`);
      }
      yield* rows.splice(0);
    }
    decoder.decode();
    if (!parser.isEnded) throw new TokenizerError('the array does not end');
  } catch (error) {
    if (error instanceof TypeError) {
      throw new ImportStopped(`the element ${count + 1} is not in UTF-8`);
    }
    if (error instanceof RangeError) {
      throw new ImportStopped(`the element ${count} nests values too deeply`);
    }
    if (error instanceof TokenizerError || error instanceof TokenParserError) {
      throw new ImportStopped(`the element ${count + 1} is not valid JSON, or the array does not end`);
    }
    throw error;
  }
}
