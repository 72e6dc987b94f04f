import { describeValue } from './rule.js';

/** The maximum length of a display name in characters. */
export const NAME_LENGTH = 64;

/** Control and format characters, which could make a name look like another, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** Describes why a value is not a storable text. */
export function textProblem(value: unknown, maxLength = Infinity): string {
  if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
  if (value.includes('\0')) return 'must not contain the character U+0000';
  if (!value.isWellFormed()) return 'must not contain a lone surrogate';
  return `must have at most ${maxLength} characters, not ${Array.from(value).length}`;
}

/** Describes why a value is not a display name. */
export function nameProblem(value: unknown): string {
  if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
  const length = Array.from(value).length;
  if (length === 0 || length > NAME_LENGTH) return `must have 1 to ${NAME_LENGTH} characters, not ${length}`;
  if (!VISIBLE.test(value)) return 'must contain a visible character, not only spaces';
  return 'must be on one line, without control and format characters';
}

/** Returns whether a value is a text that PostgreSQL can store without loss: no U+0000 and no lone surrogates. */
export function isStorableText(value: unknown, maxLength = Infinity): value is string {
  return (
    typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && isWithin(value, maxLength)
  );
}

/** Returns whether a value is a display name: visible characters and spaces on one line. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && isWithin(value, NAME_LENGTH) && VISIBLE.test(value) && !INVISIBLE.test(value)
  );
}

/** Counts characters as code points. Each takes one or two UTF-16 code units. */
function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return true;
  return text.length <= 2 * maxLength && Array.from(text).length <= maxLength;
}
