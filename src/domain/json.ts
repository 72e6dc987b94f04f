/**
 * JSON with exact 64-bit integers. RFC 8259 does not limit numbers, but a double rounds integers above 2^53.
 */

import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, MAX_JSON_VALUES } from '../limits.js';

/** A JSON text has too many values, or nests them too deeply. */
export class JsonTooComplex extends Error {
  override readonly name = 'JsonTooComplex';
}

/**
 * Parses JSON text. Integers that a double cannot represent exactly become bigints. A fraction that a double would round
 * to an integer becomes NaN. All other numbers become numbers.
 *
 * @throws SyntaxError when the text is not JSON
 * @throws JsonTooComplex when it contains more than 5,000 values, nests them deeper than 100 levels, or has an object
 *   with more than 500 members
 */
export function parseJson(text: string): unknown {
  // V8 takes 30 ms to parse an object of 25,000 members.
  if (text.length > MAX_JSON_VALUES && countCommas(text) >= MAX_JSON_VALUES) throw tooManyValues();
  const value: unknown = JSON.parse(text);
  // A shorter text cannot exceed a limit.
  if (text.length > 2 * MAX_JSON_DEPTH) checkComplexity(value);
  return HAS_LONG_NUMBER.test(text) ? parseWithSource(text, reviveLargeInteger) : value;
}

/** Parses JSON text of the database with the same numbers as {@link parseJson}, but without its limits. */
export function parseTrustedJson(text: string): unknown {
  return HAS_LONG_NUMBER.test(text) ? parseWithSource(text, reviveLargeInteger) : JSON.parse(text);
}

/** Matches numbers with an exponent, or with more digits than a double represents exactly. */
const HAS_LONG_NUMBER = /\d[eE]|[\d.]{16}/;

const tooManyValues = () => new JsonTooComplex(`more than ${MAX_JSON_VALUES} values`);

function countCommas(text: string): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString && character === '\\') at++;
    else if (!isInString && character === ',') count++;
  }
  return count;
}

function checkComplexity(root: unknown): void {
  let level: unknown[] = [root];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (count > MAX_JSON_VALUES) throw tooManyValues();
    if (depth > MAX_JSON_DEPTH) {
      throw new JsonTooComplex(`values nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    level = level.flatMap(membersOf);
  }
}

function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const members: unknown[] = Object.values(value);
  if (members.length > MAX_JSON_MEMBERS && !Array.isArray(value)) {
    throw new JsonTooComplex(`an object with more than ${MAX_JSON_MEMBERS} members`);
  }
  return members;
}

function reviveLargeInteger(_key: string, value: unknown, { source = '' }: { source?: string }): unknown {
  if (!Number.isInteger(value)) return value;
  const integer = parseInteger(source);
  // Larger than any int64: a message quotes it. With more digits, the value is infinite, and a bigint would take seconds.
  if (/^-?\d{20,309}$/.test(source)) return BigInt(source);
  // A double has rounded a fraction to an integer, or the number is larger than any int64.
  if (integer === undefined) return Math.abs(value as number) < 2 ** 63 ? NaN : value;
  return Number.isSafeInteger(value) ? value : integer;
}

const INT64_DIGITS = 19;

/** Converts a JSON number to a bigint. Returns undefined if it is not an integer or has more than 19 digits. */
function parseInteger(literal: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  // The number of digits before the decimal point, including zeros to append.
  const integerDigits = digits.length - fraction.length + Number(exponent);
  if (integerDigits > INT64_DIGITS || /[^0]/.test(digits.slice(Math.max(0, integerDigits)))) return undefined;
  return BigInt(sign + digits.slice(0, integerDigits).padEnd(integerDigits, '0'));
}

/** Parses JSON text of {@link stringifyJson}. Every integer becomes a bigint. */
export function parseJsonWithBigints(text: string): unknown {
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? (parseInteger(source) ?? value) : value,
  );
}

/** Returns a value as JSON text, with each bigint as a number. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, bigintReplacer, indent);
}

/** A replacer for `JSON.stringify` that writes a bigint as a number with all its digits. */
export function bigintReplacer(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  // Serializing a number is faster than raw JSON.
  return Number.isSafeInteger(number) ? number : rawJSON(String(value));
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

// The library of TypeScript lacks these parts of ECMAScript's "JSON.parse source text access".
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
