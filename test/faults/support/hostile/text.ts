import fc from 'fast-check';

import type { Family } from './family.ts';
import { FIELDS, MARKER, query, refused, STATUSES, taken, TEXT_FIELDS } from './request.ts';

/** Text as JSON, with each way to write its characters. */
function written(value: string): fc.Arbitrary<string> {
  const escaped = [...Array(value.length).keys()]
    .map((i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`)
    .join('');
  return fc.constantFrom(JSON.stringify(value), `"${escaped}"`);
}

/** Text of these pieces, which every text field must accept and return unchanged. */
function kept(...pieces: string[]) {
  return fc
    .tuple(
      fc.constantFrom(...TEXT_FIELDS),
      fc.array(fc.constantFrom(MARKER, 'a', ...pieces), { minLength: 1 }),
    )
    .chain(([field, parts]) => written(parts.join('')).map((json) => taken(field, json, parts.join(''))));
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));

const ZERO_WIDTH = ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u034f'];
const BIDI = [...range(0x202a, 0x202e), ...range(0x2066, 0x2069), '\u200e', '\u061c', 'شلاه', 'עברית'];
const ZALGO = range(0x0300, 0x036f).map((mark) => `o${mark.repeat(40)}`);
const EMOJI = ['🐱', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏿', '🇺🇳', '❤️', '\u{1f9ff}\ufe0f', '#️⃣', '\u{10ffff}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'];
const CONTROLS = [...range(0x01, 0x1f), ...range(0x7f, 0x9f), '\u2028', '\u2029', '\ufffe', '\uffff'];
const LOOKALIKES = ['avaіlable', 'ａｖａｉｌａｂｌｅ', 'soⅼd', 'pendıng', 's0ld', 'sold\u0301', '𝐬𝐨𝐥𝐝'];

const rawControls = fc
  .tuple(fc.constantFrom(...TEXT_FIELDS), fc.constantFrom(...range(0x00, 0x1f)))
  .map(([field, control]) => refused(field, `"${MARKER}${control}"`));
const nul = fc
  .tuple(fc.constantFrom(...TEXT_FIELDS), fc.string())
  .map(([field, text]) => refused(field, JSON.stringify(`${text}\0`)));

const surrogates = fc
  .tuple(
    fc.constantFrom(...TEXT_FIELDS),
    fc.constantFrom('\\ud800', '\\udbff', '\\udc00', '\\udfff', '\\udc00\\ud800', '\\ud83d\\ud83d'),
    fc.constantFrom('', 'a', '🐱'),
  )
  .map(([field, escape, rest]) => refused(field, `"${rest}${escape}${rest}"`));

/** Variants of the values of an enumeration that a careless comparison would accept. */
const almost = fc.oneof(
  fc.constantFrom(...LOOKALIKES),
  fc
    .tuple(
      fc.constantFrom(...STATUSES),
      fc.constantFrom(' ', '\t', '\n', '\u00a0', '\0', ';', ...ZERO_WIDTH),
      fc.nat(9),
    )
    .map(([status, piece, at]) => status.slice(0, at) + piece + status.slice(at)),
  fc
    .tuple(fc.constantFrom(...STATUSES), fc.nat(8))
    .map(([status, at]) => status.slice(0, at) + status.slice(at).toUpperCase())
    .filter((text) => !STATUSES.includes(text)),
  fc.constantFrom(...STATUSES).map((status) => status.slice(0, -1)),
  fc.constantFrom('AVAILABLE', 'Sold', 'available,sold', 'lost', 'constructor', '__proto__', 'toString'),
);
const [statusField] = FIELDS.filter(({ kind }) => kind === 'enum');
const enums = almost.chain((text) =>
  fc.constantFrom(
    ...(statusField ? [refused(statusField, JSON.stringify(text))] : []),
    query('/v1/pets', `status=${encodeURIComponent(text)}`, false),
  ),
);

export const TEXTS: readonly Family[] = [
  { name: 'homoglyphs and case in enums', requests: () => enums },
  { name: 'zero-width characters', requests: () => kept(...ZERO_WIDTH) },
  { name: 'bidi', requests: () => kept(...BIDI) },
  { name: 'zalgo', requests: () => kept(...ZALGO) },
  { name: 'emoji', requests: () => kept(...EMOJI) },
  { name: 'control characters', requests: () => fc.oneof(kept(...CONTROLS), rawControls, nul) },
  { name: 'lone surrogates', requests: () => surrogates },
];
