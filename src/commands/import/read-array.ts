import { BODY_LIMIT_BYTES } from '../../limits.js';
import { ImportStopped, type Row } from './input.js';

/** The characters that determine where an element ends. A backslash in a text escapes the next character. */
const MARKS = /(["\\[\]{},])/;

/**
 * Reads the text of each element of a JSON array, without keeping it. Each byte is a character of the text.
 *
 * @throws ImportStopped when the array does not end, or an element is missing, too long, or has a line break in a text
 */
export async function* readArray(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let count = 0;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let element = '';
  for await (const chunk of content) {
    for (const [index, part] of chunk.toString('latin1').split(MARKS).entries()) {
      if (part === '') continue;
      if (count > 0 && depth === 0 && part.trim() !== '') throw new ImportStopped('a text follows the array');
      const mark: string = index % 2 === 1 && !isEscaped ? part : '';
      isEscaped = isInText && mark === '\\';
      if (mark === '"') isInText = !isInText;
      if (!isInText && (mark === '[' || mark === '{')) depth++;
      if (!isInText && (mark === ']' || mark === '}')) depth--;
      const isFirst = depth === 1 && mark === '[' && !isInText;
      const isEnd = !isInText && ((depth === 1 && mark === ',') || (depth === 0 && mark === ']'));
      if (!isEnd) {
        if (isInText && /[\r\n]/.test(part))
          throw new ImportStopped(`the element ${count + 1} has a line break in a text`);
        if (!isFirst) element += part;
        if (element.length > BODY_LIMIT_BYTES) {
          throw new ImportStopped(`the element ${count + 1} exceeds ${BODY_LIMIT_BYTES} bytes`);
        }
        continue;
      }
      count++;
      // Line breaks between values are no part of them.
      const json = element.trim().replaceAll(/[\r\n]/g, ' ');
      element = '';
      if (json !== '') yield { place: `element ${count}`, json: Buffer.from(json, 'latin1') };
      else if (count > 1 || mark === ',') throw new ImportStopped(`the element ${count} is missing`);
    }
  }
  if (depth > 0 || element.trim() !== '') throw new ImportStopped('the array does not end');
}
