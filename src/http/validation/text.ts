import { describeValue } from './rule.js';

/** The maximum length of a display name in characters. */
export const NAME_LENGTH = 64;

/** Control and format characters, which could make a name look like another, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** Checks that PostgreSQL can store a text without loss: it has no U+0000 and no lone surrogates. */
export function checkText(value: unknown, maxLength = Infinity): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
  if (value.includes('\0')) return 'must not contain the character U+0000';
  if (!value.isWellFormed()) return 'must not contain a lone surrogate';
  // A character takes one or two UTF-16 code units.
  if (value.length <= maxLength) return undefined;
  const { length } = Array.from(value);
  return length > maxLength ? `must have at most ${maxLength} characters, not ${length}` : undefined;
}

/** Checks that a text is a display name: visible characters and spaces on one line. */
export function checkName(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
  const { length } = Array.from(value);
  if (length === 0 || length > NAME_LENGTH) return `must have 1 to ${NAME_LENGTH} characters, not ${length}`;
  if (!VISIBLE.test(value)) return 'must contain a visible character, not only spaces';
  return INVISIBLE.test(value) ? 'must be on one line, without control and format characters' : undefined;
}
