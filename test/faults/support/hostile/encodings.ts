import {
  brotliCompressSync,
  crc32,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';

import fc from 'fast-check';

import type { Family } from './family.ts';
import { bodyWith, FIELDS, MARKER, post, POSTS, TEXT_FIELDS, withHeaders } from './request.ts';

const MEBIBYTE = 1024 * 1024;
const BODY_LIMIT = 256 * 1024;
const BOMB = Buffer.alloc(32 * MEBIBYTE);

/** A lone, an overlong and a truncated sequence, surrogates, a code point above U+10FFFF, and Latin-1. */
const BAD_UTF8 = [
  ...[[0x80], [0xc0, 0x80], [0xe0, 0x80, 0xaf], [0xf0, 0x9f, 0x90], [0xed, 0xa0, 0x80]],
  ...[[0xed, 0xa0, 0xbd, 0xed, 0xb0, 0xb1], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xe9]],
].map((bytes) => Buffer.from(bytes));

const badUtf8 = fc
  .tuple(fc.constantFrom(...TEXT_FIELDS), fc.constantFrom(...BAD_UTF8), fc.boolean())
  .map(([field, bytes, inName]) => {
    const text = bodyWith(field, `"${MARKER}!"`);
    const at = inName ? text.indexOf(field.name) + 1 : text.indexOf('!');
    const body = Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at))]);
    return post(field.path, body, [400]);
  });

const TYPES = [
  ...['text/plain', 'text/json', 'application/ld+json', 'multipart/form-data; boundary=x'],
  ...['*/*', 'application/*', 'json', ';', 'application/json/x', 'application/json, application/json'],
  ...['utf-16', 'utf-7', 'latin1', 'x', '""'].map((charset) => `application/json; charset=${charset}`),
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'identity, gzip', '*'];

const wrongType = fc
  .tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...TYPES))
  .map(([field, type]) =>
    withHeaders(post(field.path, bodyWith(field, `"${MARKER}"`), [400]), ['Content-Type', type]),
  );
const wrongBytes = fc
  .tuple(
    fc.constantFrom(...TEXT_FIELDS),
    fc.constantFrom<(text: string) => Buffer>(
      (text) => Buffer.from(text, 'utf16le'),
      (text) => Buffer.from(text, 'utf16le').swap16(),
      (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
      (text) => Buffer.from(text.replace(MARKER, 'é'), 'latin1'),
      (text) => Buffer.from(Buffer.from(text).toString('base64')),
      (text) => Buffer.from(encodeURIComponent(text)),
    ),
  )
  .map(([field, encode]) => post(field.path, encode(bodyWith(field, `"${MARKER}"`)), [400]));
const wrongEncoding = fc
  .tuple(fc.constantFrom(...TEXT_FIELDS), fc.constantFrom(...ENCODINGS))
  .map(([field, encoding]) =>
    withHeaders(
      post(field.path, bodyWith(field, `"${MARKER}"`), [415]),
      ['Content-Type', 'application/json'],
      ['Content-Encoding', encoding],
    ),
  );

/** The start of a zip archive with one file. */
function zip(content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const header = Buffer.alloc(31);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc32(content), 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(1, 26);
  header.write('a', 30);
  return Buffer.concat([header, packed]);
}

const BOMBS: readonly (readonly [type: string, encoding: string, body: Buffer])[] = (() => {
  const gzip = gzipSync(BOMB);
  return [
    ['application/json', 'gzip', gzip],
    ['application/json', 'gzip, gzip', gzipSync(gzip)],
    ['application/json', 'deflate', deflateSync(BOMB)],
    ['application/json', 'br', brotliCompressSync(BOMB.subarray(0, 4 * MEBIBYTE))],
    ['application/json', 'zstd', zstdCompressSync(BOMB)],
    ['application/json', '', gzip],
    ['application/json', '', zip(BOMB)],
    ['application/gzip', '', gzip],
    ['application/zip', '', zip(BOMB)],
    ['application/x-zip-compressed', '', zip(BOMB)],
  ];
})();
const bombs = fc
  .tuple(fc.constantFrom(...POSTS), fc.constantFrom(...BOMBS))
  .map(([path, [type, encoding, body]]) =>
    withHeaders(
      post(path, body, [encoding === '' ? 400 : 415]),
      ['Content-Type', type],
      ...(encoding === '' ? [] : [['Content-Encoding', encoding] satisfies [string, string]]),
    ),
  );

const oversized = fc
  .tuple(fc.constantFrom(...TEXT_FIELDS), fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2000 })))
  .map(([field, excess]) => {
    const rest = Buffer.byteLength(bodyWith(field, '""'));
    return post(field.path, bodyWith(field, `"${'x'.repeat(BODY_LIMIT + excess - rest)}"`), [413]);
  });

/** The maximum depth that fits into the body limit. */
const DEPTH = 40_000;
const NESTS = [
  '['.repeat(DEPTH),
  '{"a":'.repeat(DEPTH),
  '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
  '[{"a":'.repeat(DEPTH / 2) + '1' + '}]'.repeat(DEPTH / 2),
];
const nests = fc
  .tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...NESTS), fc.constantFrom(0, 1, 2))
  .map(([field, nest, where]) =>
    post(
      field.path,
      [nest, bodyWith(field, nest), `{"unknown":${nest},${bodyWith(field, '1').slice(1)}`][where] ?? nest,
      [400],
    ),
  );

export const ENCODED: readonly Family[] = [
  { name: 'bad UTF-8', requests: () => badUtf8 },
  { name: 'wrong charset and encodings', requests: () => fc.oneof(wrongType, wrongBytes, wrongEncoding) },
  { name: '256 KiB + 1 byte', requests: () => oversized, costly: true },
  { name: 'nesting of 40,000', requests: () => nests, costly: true },
  { name: 'gzip and zip bombs', requests: () => bombs, costly: true },
];
