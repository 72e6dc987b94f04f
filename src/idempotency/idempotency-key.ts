import { InvalidIdempotencyKey } from './idempotency.errors.js';

/**
 * What many clients send: a bare key, without commas, as several headers of one name are joined by
 * them. Or what the draft asks for: a string of structured fields (RFC 9651, section 3.3.3).
 */
const KEY = /^(?:([!#-+\--~]{1,255})|"((?:[ !#-[\]-~]|\\["\\]){1,255})")$/;

/** The length of the longest value of the header: 255 escaped characters in quotes. */
export const MAX_HEADER_LENGTH = 512;

/**
 * Reads the value of an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). A key
 * is the same with quotes and without.
 *
 * @throws InvalidIdempotencyKey
 */
export function parseIdempotencyKey(text: string): string {
  const [, bare, quoted] = KEY.exec(text) ?? [];
  const key = bare ?? quoted?.replace(/\\(.)/g, '$1');
  if (key === undefined) throw new InvalidIdempotencyKey();
  return key;
}
