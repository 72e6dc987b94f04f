/**
 * JSON with exact 64-bit integers. RFC 8259 does not limit numbers, but a double rounds integers above 2^53.
 */

/** The limits of a JSON text. Larger values could block the event loop or overflow the stack. */
const MAX_VALUES = 5000;
const MAX_DEPTH = 100;
/** class-transformer takes quadratic time in the members of an object. */
const MAX_MEMBERS = 500;

/** The decimal digits of the largest int64. */
const INT64_DIGITS = 19;

/** A JSON text has too many values, or nests them too deeply. */
export class JsonTooComplex extends Error {
  override readonly name = 'JsonTooComplex';
}

/** The literals of numbers that a double may have rounded, by object and member. */
const literals = new WeakMap<object, Map<string, string>>();

/**
 * Parses JSON text. Numbers become numbers; {@link toExactInteger} reads those that a double may have rounded.
 *
 * @throws SyntaxError when the text is not JSON
 * @throws JsonTooComplex when it contains more than 5,000 values, nests them deeper than 100 levels, or has an object
 *   with more than 500 members
 */
export function parseJson(text: string): unknown {
  // V8 takes 30 ms to parse an object of 25,000 members.
  if (text.length > MAX_VALUES && countCommas(text) >= MAX_VALUES) throw tooManyValues();
  const value: unknown = JSON.parse(text);
  checkComplexity(value);
  return HAS_LONG_NUMBER.test(text) ? parseWithSource(text, keepLiteral) : value;
}

/** Matches numbers with an exponent, or with more digits than a double represents exactly. */
const HAS_LONG_NUMBER = /\d[eE]|[\d.]{16}/;

const tooManyValues = () => new JsonTooComplex(`more than ${MAX_VALUES} values`);

/** Counts the commas outside of strings. */
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
    if (count > MAX_VALUES) throw tooManyValues();
    if (depth > MAX_DEPTH) throw new JsonTooComplex(`values nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap(membersOf);
  }
}

function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const members: unknown[] = Object.values(value);
  if (members.length > MAX_MEMBERS && !Array.isArray(value)) {
    throw new JsonTooComplex(`an object with more than ${MAX_MEMBERS} members`);
  }
  return members;
}

function keepLiteral(
  this: object,
  key: string,
  value: unknown,
  { source = '' }: { source?: string },
): unknown {
  if (Number.isInteger(value) && (!Number.isSafeInteger(value) || /[eE]|.{16}/.test(source))) {
    literals.set(this, (literals.get(this) ?? new Map<string, string>()).set(key, source));
  }
  return value;
}

/**
 * Converts a number that {@link parseJson} read to a bigint, exactly: `1`, `1.0` and `1e0` all become `1n`. Returns a
 * value unchanged if it is not an integer or has more than 19 digits.
 *
 * @param holder the object that contains the number
 * @param key the name of the member, or its name by `@Expose()`
 */
export function toExactInteger(value: unknown, holder: object, key: string): unknown {
  const [literal, ...others] = literalsOf(value, holder, key);
  if (literal === undefined) return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  return others.length > 0 ? value : (parseInteger(literal) ?? value);
}

/**
 * Returns the possible literals of a number. A renamed member has several if other members round to the same number.
 */
function literalsOf(value: unknown, holder: object, key: string): Set<string> {
  const members = [...(literals.get(holder) ?? [])].filter(([, literal]) => Number(literal) === value);
  const isRenamed = !Object.hasOwn(holder, key) || holder[key as keyof typeof holder] !== value;
  return new Set(members.filter(([name]) => isRenamed || name === key).map(([, literal]) => literal));
}

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

/** A replacer for `JSON.stringify` that writes a bigint as a number with all its digits. */
export function bigintReplacer(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  // Serializing a number is faster than raw JSON.
  return Number.isSafeInteger(number) ? number : rawJSON(String(value));
}

/** Returns a value as JSON text, with each bigint as a number. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, bigintReplacer, indent);
}

type SourceReviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown;

// The library of TypeScript lacks these parts of ECMAScript's "JSON.parse source text access".
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
