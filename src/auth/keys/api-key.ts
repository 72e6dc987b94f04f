import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'ps_';

/** 27 characters of base62 hold 160 bits. */
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** How much of a key is kept in the clear, for its owner to recognise it. */
const START_LENGTH = PREFIX.length + 6;

/**
 * Makes a new API key: `ps_`, at least 160 random bits in base62, and a checksum. A double click
 * selects it whole, a secret scanner can find it, and a typo shows without a look-up.
 */
export function mintKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const body = PREFIX + random.join('');
  return body + checksum(body);
}

/** Tells whether a text has the form of a key, checksum included. */
export function isKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What is stored of a key: its SHA-256. A slow hash would add nothing to 160 random bits. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The first characters of a key, which may be shown. */
export function startOfKey(key: string): string {
  return key.slice(0, START_LENGTH);
}

/** CRC-32 in base62, in six digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
