import {
  type ParsedElementInfo,
  type ParsedTokenInfo,
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
} from '@streamparser/json';

import { BODY_LIMIT_BYTES } from '../../limits.js';
import { ImportStopped, type Row } from './input.js';

// The library of TypeScript lacks this part of ECMAScript's "JSON.parse source text access".
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => number };

class ElementParser extends TokenParser {
  readonly elements: Buffer[] = [];

  constructor() {
    super({ paths: ['$.*'], keepStack: false });
  }

  override onValue({ value }: ParsedElementInfo): void {
    this.elements.push(Buffer.from(JSON.stringify(value)));
  }
}

/** Keeps the text of each number, so that `JSON.stringify` writes large integers exactly. */
class ExactTokenizer extends Tokenizer {
  constructor(private readonly parser: TokenParser) {
    super();
  }

  override onToken(token: ParsedTokenInfo): void {
    this.parser.write(token);
  }

  protected override parseNumber(text: string): number {
    return rawJSON(text);
  }
}

/** @throws ImportStopped when the text is not a JSON array in UTF-8, or when an element is too large */
export async function* readArray(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let count = 0;
  /** The number of bytes that were read since the end of the last element. */
  let unfinishedBytes = 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = new ElementParser();
  const tokenizer = new ExactTokenizer(parser);
  try {
    for await (const chunk of content) {
      tokenizer.write(decoder.decode(chunk, { stream: true }));
      const elements = parser.elements.splice(0);
      unfinishedBytes = elements.length > 0 ? 0 : unfinishedBytes + chunk.length;
      if (unfinishedBytes > 2 * BODY_LIMIT_BYTES) throw tooLong(count + 1);
      for (const json of elements) {
        count++;
        if (json.length > BODY_LIMIT_BYTES) throw tooLong(count);
        yield { place: `element ${count}`, json };
      }
    }
    decoder.decode();
    if (!parser.isEnded) throw new TokenizerError('the array does not end');
  } catch (error) {
    const element = `the element ${count + parser.elements.length + 1}`;
    if (error instanceof TypeError) throw new ImportStopped(`${element} is not in UTF-8`);
    if (error instanceof RangeError) throw new ImportStopped(`${element} nests values too deeply`);
    if (error instanceof TokenizerError || error instanceof TokenParserError) {
      throw new ImportStopped(`${element} is not valid JSON, or the array does not end`);
    }
    throw error;
  }
}

const tooLong = (element: number) =>
  new ImportStopped(`the element ${element} exceeds ${BODY_LIMIT_BYTES} bytes`);
