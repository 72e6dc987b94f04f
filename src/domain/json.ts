/**
 * JSON in which integers are exact (RFC 8259 sets no bound on numbers; int64 needs more than a
 * double holds): every number with an integral value is read as a bigint, and a bigint is written
 * as a plain number.
 */

/** The largest exponent that is worth expanding: nothing in the service takes more than 19 digits. */
const MAX_INTEGER_DIGITS = 19;

/**
 * Reads JSON text. `1`, `1.0` and `1e0` all become `1n`; `1.5` stays a number, and so does an
 * integer of more than 19 digits, which no field takes.
 *
 * @throws SyntaxError when the text is no JSON; RangeError when it is nested too deeply
 */
export function parseJson(text: string): unknown {
  if (!MAYBE_ROUNDED.test(text)) return withBigints(JSON.parse(text));
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? (exactInteger(source) ?? value) : value,
  );
}

/** Whether a number may be in the text that a double does not hold exactly. To look at each one's source is slow. */
const MAYBE_ROUNDED = /\d[.eE]|\d{16}/;

function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const item = members[name];
    if (typeof item === 'number' || typeof item === 'object') members[name] = withBigints(item);
  }
  return members;
}

/**
 * Writes a value as JSON text, with each bigint in full. What JSON cannot hold is left out, and what has a `toJSON`
 * is written as that tells, as `JSON.stringify` does it. What a `toJSON` tells has no bigints: see {@link integerInJson}.
 */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(withoutBigints(value));
}

/** A copy that `JSON.stringify` writes as it should: faster than to tell it of each bigint by a function. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return integerInJson(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (hasToJson(value)) return value.toJSON();
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    copy[name] = typeof item === 'bigint' || typeof item === 'object' ? withoutBigints(item) : item;
  }
  return copy;
}

function hasToJson(value: object): value is { toJSON: () => unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** What a `toJSON` tells in the place of a bigint, so that `JSON.stringify` writes it in full. */
export function integerInJson(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawJSON(`${value}`);
}

/** Writes a value as {@link stringifyJson} does, indented for people to read. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJSON(`${item}`) : item), 2)}\n`;
}

function exactInteger(source: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(/^0+/, '');
  // The lookbehind keeps this linear on a body full of zeros: only the first zero of a run is tried.
  const digits = significant.replace(/(?<!0)0+$/, '');
  if (digits === '') return 0n;
  const zeros = Number(exponent) - fraction.length + (significant.length - digits.length);
  if (zeros < 0 || digits.length + zeros > MAX_INTEGER_DIGITS) return undefined;
  return BigInt(sign + digits + '0'.repeat(zeros));
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

// TypeScript's library does not know these two parts of ECMAScript's JSON.parse source text access yet.
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
