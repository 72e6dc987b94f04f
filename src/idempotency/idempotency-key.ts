import { InvalidIdempotencyKey } from './idempotency.errors.js';

/**
 * A string of structured fields (RFC 9651, section 3.3.3), as the draft requires, or a bare key, as many clients send
 * it. A bare key contains no commas, because commas join several headers of the same name.
 */
const KEY = /^(?:([!#-+\--~]{1,255})|"((?:[ !#-[\]-~]|\\["\\]){1,255})")$/;

/**
 * Parses an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). A key with quotes equals the same key
 * without quotes.
 *
 * @throws InvalidIdempotencyKey
 */
export function parseIdempotencyKey(text: string): string {
  const [, bare, quoted] = KEY.exec(text) ?? [];
  const key = bare ?? quoted?.replace(/\\(.)/g, '$1');
  if (key === undefined) throw new InvalidIdempotencyKey();
  return key;
}
