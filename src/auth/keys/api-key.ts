import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'ps_';

/** 27 characters of base62 hold 160 bits. */
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** The length of the part that is stored in clear text, so that owners recognise their keys. */
const START_LENGTH = PREFIX.length + 6;

/**
 * Creates an API key: `ps_`, at least 160 random bits in base62, and a checksum. A double click selects the whole key,
 * secret scanners recognise it, and the checksum reveals typos without a look-up. Its hash and its first characters,
 * which are no secret, are stored.
 */
export function createKey(): { key: string; hash: Buffer; start: string } {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const body = PREFIX + random.join('');
  const key = body + checksum(body);
  return { key, hash: hashKey(key), start: key.slice(0, START_LENGTH) };
}

export function isKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Returns the SHA-256 of a key. A slow hash is not needed for 160 random bits. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
