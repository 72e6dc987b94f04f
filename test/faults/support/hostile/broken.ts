import fc from 'fast-check';

import type { Family } from './families.ts';
import { type HostileRequest, MARKER } from './request.ts';

const HOST = 'Host: a\r\n';
const BODY = '{"name":"a","categoryId":1}';
const SMUGGLED = `GET /v1/${MARKER} HTTP/1.1\r\nHost: a\r\n\r\n`;

const get = (headers: string) => `GET /v1/pets HTTP/1.1\r\n${headers}\r\n`;
const create = (headers: string, body = BODY) =>
  `POST /v1/pets HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const chunked = `1b\r\n${BODY}\r\n0\r\n\r\n`;

/** Data that is not HTTP, or is ambiguous: always 400, and the connection is closed. */
export const BROKEN: Readonly<Record<string, string>> = {
  'Content-Length with Transfer-Encoding': create(
    'Content-Length: 6\r\nTransfer-Encoding: chunked',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'Transfer-Encoding with Content-Length': create(
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    `5c\r\n${SMUGGLED}`,
  ),
  'two Content-Lengths that differ': create(`Content-Length: 27\r\nContent-Length: 2`, BODY + SMUGGLED),
  'two Content-Lengths alike': create('Content-Length: 27\r\nContent-Length: 27', BODY + SMUGGLED),
  'a list of Content-Lengths': create('Content-Length: 27, 27', BODY + SMUGGLED),
  'a Content-Length with a sign': create('Content-Length: +27'),
  'a negative Content-Length': create('Content-Length: -27'),
  'a hexadecimal Content-Length': create('Content-Length: 0x1b'),
  'a Content-Length beyond all bounds': create('Content-Length: 99999999999999999999999999'),
  'a vertical tab before chunked': create('Transfer-Encoding: \x0bchunked', chunked),
  'a space before the colon of Transfer-Encoding': create('Transfer-Encoding : chunked', chunked),
  'a space before the colon': get(`${HOST}X-A : b\r\n`),
  'a space before a name': get(` ${HOST}`),
  'obs-fold': get(`${HOST}X-A: b\r\n c\r\n`),
  'obs-fold by a tab': get(`${HOST}X-A: b\r\n\tTransfer-Encoding: chunked\r\n`),
  'bare LF after each line': get(HOST).replaceAll('\r', ''),
  'bare LF after a header': get('Host: a\nX-A: b\r\n'),
  'bare CR': 'GET /v1/pets HTTP/1.1\rHost: a\r\r',
  'bare CR in a header': get(`${HOST}X-A: b\rX-B: c\r\n`),
  'NUL in a header': get(`${HOST}X-A: b\0c\r\n`),
  'NUL in the target': 'GET /v1/pets\0 HTTP/1.1\r\nHost: a\r\n\r\n',
  'a space in the target': 'GET /v1/pets /x HTTP/1.1\r\nHost: a\r\n\r\n',
  'bytes beyond ASCII in the target': 'GET /v1/pets/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n',
  'tabs in the request line': 'GET\t/v1/pets\tHTTP/1.1\r\nHost: a\r\n\r\n',
  'a target without a slash': 'GET v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'a greeting of TLS': `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'a'.repeat(300)}`,
  'another protocol': 'EHLO a\r\n\r\n',
  'a name of a header that is none': get(`${HOST}X(A): b\r\n`),
  'a header without a colon': get(`${HOST}X-A\r\n`),
  'a header without a name': get(`${HOST}: b\r\n`),
  'an unknown Transfer-Encoding': create('Transfer-Encoding: xchunked', chunked),
  'identity as Transfer-Encoding': create('Transfer-Encoding: identity'),
  'chunked, which is not the last encoding': create('Transfer-Encoding: chunked, identity', chunked),
  'chunked twice': create('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunked),
  'an unknown method': 'FOO /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'a method in small letters': 'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown version': 'GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n',
};

/** A target or headers above the limit: 414 or 431. */
const TOO_LARGE: Readonly<Record<string, string>> = {
  '100 KiB of headers': get(`${HOST}X-A: ${'x'.repeat(100 * 1024)}\r\n`),
  '100 KiB of address': `GET /v1/pets?${'x'.repeat(100 * 1024)} HTTP/1.1\r\n${HOST}\r\n`,
  'a name of 100 KiB': get(`${HOST}${'x'.repeat(100 * 1024)}: b\r\n`),
};

/** Invalid chunks in a body. The body is read, so the requests have a key. */
const BROKEN_BODIES: readonly string[] = [
  '-1\r\n',
  'xyz\r\n',
  'ffffffffffffffffff\r\n',
  `1b\n${BODY}\n0\n\n`,
  `5\r\n${BODY}\r\n`,
  `1b\r\n${BODY}0\r\n\r\n`,
  `1b;${'x'.repeat(20_000)}\r\n`,
];

const raw = (bytes: string, ...statuses: number[]): HostileRequest => ({
  method: 'RAW',
  target: '',
  headers: [],
  raw: bytes,
  statuses,
});

const anyOf = (requests: Readonly<Record<string, string>>, ...statuses: number[]) =>
  fc.constantFrom(...Object.values(requests)).map((bytes) => raw(bytes, ...statuses));

/** Invalid HTTP. Only the first request may be answered. */
export const BROKEN_HTTP: Family = {
  name: 'broken HTTP and smuggled requests',
  requests: (key) => {
    const headers = `Authorization: Bearer ${key}\r\nTransfer-Encoding: chunked`;
    return fc.oneof(
      { weight: 11, arbitrary: anyOf(BROKEN, 400) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(...BROKEN_BODIES).map((body) => raw(create(headers, body), 400, 413)),
      },
      { weight: 1, arbitrary: anyOf(TOO_LARGE, 414, 431) },
    );
  },
  costly: true,
};
