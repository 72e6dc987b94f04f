import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { Connection } from '../support/connection.ts';
import { type RawAnswer, sendRaw } from '../support/raw-request.ts';
import { useService } from '../support/service.ts';

/** The default of BODY_LIMIT_BYTES. */
const LIMIT = 256 * 1024;
const PET = '{"name":"Kitty","categoryId":2}';

/** The paths that accept a body. */
const PATHS = ['/v1/pets', '/v1/store/orders', '/v1/messages', '/keys'];

const service = useService();

function send(
  rawBody: string | Uint8Array,
  headers: Record<string, string> = {},
  path = '/v1/pets',
): Promise<Answer> {
  return service.client.send('POST', path, {
    rawBody,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns the head of a request with a key and JSON, without its end. */
const headOf = (request: string) =>
  `${request} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.client.key ?? ''}\r\nContent-Type: application/json\r\n`;

function sendChunks(request: string, pieces: string[]): Promise<RawAnswer> {
  const chunks = [...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
  return sendRaw(service.url, `${headOf(request)}Transfer-Encoding: chunked\r\n\r\n${chunks}`);
}

/** A body with bytes that a string cannot contain. */
const around = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"categoryId":2,"name":"'), Buffer.from(bytes), Buffer.from('"}')]);

describe('the content type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf-8',
  ])('%s is taken', async (type) => {
    expect((await send(PET, { 'content-type': type })).status).toBe(201);
  });

  test.each([
    ...['', 'text/plain', 'text/json', 'application/jsonp', 'application/ld+json', '*/*', 'json'],
    ...[
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
      'application/json; charset=latin1',
    ],
  ])('%j is refused', async (type) => {
    for (const path of PATHS) {
      const answer = await send(PET, { 'content-type': type }, path);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body).toMatchObject({ message: expect.stringContaining('Content-Type') as string });
    }
  });

  test('is required', async () => {
    const rawBody = new TextEncoder().encode(PET);
    expect((await service.client.send('POST', '/v1/pets', { rawBody })).status).toBe(400);
    expect((await service.client.send('POST', '/v1/pets')).status).toBe(400);
  });
});

test('a Content-Type without a body is ignored by operations without a body', async () => {
  const headers = { 'content-type': 'application/json' };
  expect((await service.client.get('/v1/pets', { headers })).status).toBe(200);
});

describe('a body of GET is ignored', () => {
  test.each([
    ['no JSON', ['Content-Type: application/json', 'Content-Length: 1', '', '{']],
    [
      'in a content coding',
      ['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 1', '', '{'],
    ],
    ['of another type', ['Content-Type: text/plain', 'Content-Length: 1', '', '{']],
    [
      'in chunks',
      ['Content-Type: application/json', 'Transfer-Encoding: chunked', '', '1', '{', '0', '', ''],
    ],
    ['that never arrives', ['Content-Type: application/json', 'Content-Length: 1000000', '', '']],
    ['that waits for an invitation', ['Content-Length: 1000000', 'Expect: 100-continue', '', '']],
  ])('one %s', async (_what, lines) => {
    const head = ['GET /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${service.client.key ?? ''}`];
    const { status } = await sendRaw(service.url, [...head, ...lines].join('\r\n'));
    expect(status).toBe(200);
  });
});

test.each(['gzip', 'br', 'deflate', 'zstd', 'unknown'])(
  'the content encoding %s is 415',
  async (encoding) => {
    const { status, body, headers } = await send(PET, { 'content-encoding': encoding });
    expect({ status, body }).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(headers.get('accept-encoding')).toBe('identity');
  },
);

test.each(['identity', 'IDENTITY'])('the content encoding %s is no encoding', async (encoding) => {
  expect((await send(PET, { 'content-encoding': encoding })).status).toBe(201);
});

describe('a body that is not a JSON object is rejected', () => {
  test.each([
    ...['', ' ', '{', '{]', '{"name":"a","categoryId":1', '{"name":"a","categoryId":1,}', "{'name':'a'}"],
    ...['{name:"a",categoryId:1}', '{"name":"a","categoryId":01}', '{"name":"a","categoryId":NaN}'],
    ...['{"name":"a\nb","categoryId":1}', '{"name":"\\x41","categoryId":1}', `${PET}${PET}`, `// a\n${PET}`],
    ...['null', '1', '"text"', '[]', `[${PET}]`, 'name=a&categoryId=1'],
  ])('%j', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test.each([
    ['a lone continuation byte', around(0x80)],
    ['an overlong U+0000', around(0xc0, 0x80)],
    ['a lone surrogate in bytes', around(0xed, 0xa0, 0x80)],
    ['a code point above U+10FFFF', around(0xf4, 0x90, 0x80, 0x80)],
    ['Latin-1', around(0xe9)],
    ['UTF-16', Buffer.from(PET, 'utf16le')],
    ['a raw U+0000', around(0)],
  ])('%s', async (_what, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test.each([
    ['arrays', '['.repeat(100_000)],
    ['closed arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000)],
  ])('thousands of nested %s', async (_what, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test.each([
    ['values nested deeper than 100 levels', `{"name":${'['.repeat(101)}${']'.repeat(101)},"categoryId":1}`],
    ['more than 5000 values', `{"name":[${'0,'.repeat(5000)}0],"categoryId":1}`],
    ['more than 5000 values', `{${'"name":"a",'.repeat(5000)}"categoryId":1}`],
    [
      'an object with more than 500 members',
      `{"name":{${Array.from({ length: 501 }, (_, i) => `"${i}":0`).join()}},"categoryId":1}`,
    ],
  ])('%s, by a message that says so', async (what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { message: `The body contains ${what}.` } });
  });
});

test('commas in a string do not count as values', async () => {
  const name = `${','.repeat(9000)}"\\",${','.repeat(9000)}`;
  expect(await send(JSON.stringify({ name, categoryId: 1 }))).toMatchObject({ status: 201, body: { name } });
});

test('a byte order mark before the body is ignored, as RFC 8259 allows', async () => {
  expect((await send(`\ufeff${PET}`)).status).toBe(201);
});

describe('a body of', () => {
  const bodyOf = (bytes: number) => `{"message":"${'a'.repeat(bytes - 14)}"}`;

  test('256 KiB is accepted and returned', async () => {
    expect(Buffer.byteLength(bodyOf(LIMIT))).toBe(LIMIT);
    const answer = await send(bodyOf(LIMIT), {}, '/v1/messages');
    expect(answer.status).toBe(202);
    expect((answer.body as { message: string }).message).toBe('a'.repeat(LIMIT - 14));
  });

  test('a name of 20,000 escaped characters is accepted', async () => {
    const answer = await send(`{"categoryId":2,"name":"${'\\ud83d\\udc31'.repeat(20_000)}"}`);
    expect(answer.status).toBe(201);
    expect((answer.body as { name: string }).name).toBe('🐱'.repeat(20_000));
  });

  test.each([
    ['/v1/pets', LIMIT],
    ['/v1/store/orders', LIMIT],
    ['/v1/messages', LIMIT],
    ['/keys', 4096],
    ['/accounts', 4096],
  ])('more than the limit is a 413 at %s, with a Content-Length and in chunks', async (path, limit) => {
    const answer = await send(bodyOf(limit + 1), {}, path);
    const message = `The body exceeds ${limit} bytes.`;
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', message } });
    expect((await sendChunks(`POST ${path}`, [bodyOf(limit + 1)])).status).toBe(413);
  });

  test('a label of 64 escaped characters is accepted', async () => {
    const answer = await send(`{"label":"${'\\ud83d\\udc31'.repeat(64)}"}`, {}, '/keys');
    expect(answer).toMatchObject({ status: 201, body: { label: '🐱'.repeat(64) } });
  });

  test('256 KiB in chunks of a byte is accepted', async () => {
    const pieces = bodyOf(LIMIT).split('');
    expect((await sendChunks('POST /v1/messages', pieces)).status).toBe(202);
  });

  test('an empty body in chunks is no body', async () => {
    expect((await sendChunks('GET /v1/pets', [])).status).toBe(200);
    expect((await sendChunks('POST /v1/pets', [])).text).toContain('The body is missing.');
  });

  test('any size that was read and rejected leaves the connection open', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.client.key ?? ''}`;
    for (const body of ['{}', '{', JSON.stringify({ name: 'x'.repeat(100_000) })]) {
      const headers = `${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const answer = await sendRaw(service.url, `${headers}\r\n\r\n${body}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('connection')).toBe('keep-alive');
    }
  });
});

describe('bodies of any size that follow each other on one connection', () => {
  const TEXTS = [0, 1, 30_000, 2, 70_000, 200_000, 3, 65_400, 4].map((length) => 'a'.repeat(length));
  const requests = () =>
    TEXTS.map((text) => {
      const body = `{"message":"${text}"}`;
      const authorization = `Authorization: Bearer ${service.client.key ?? ''}`;
      const headers = `Host: a\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      return `POST /v1/messages HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
    }).join('');

  test.each([
    ['at once', Infinity],
    ['in large pieces', 40_000],
    ['in small pieces', 777],
  ])('are taken when they are sent %s', async (_how, pieceLength) => {
    const connection = await Connection.to(service.url);
    const all = requests();
    for (let start = 0; start < all.length; start += pieceLength) {
      connection.write(all.slice(start, start + pieceLength));
    }
    const texts = () => [...connection.received().matchAll(/"message":"(a*)"/g)].map(([, text]) => text);
    await expect.poll(() => texts().length).toBe(TEXTS.length);
    expect(texts()).toEqual(TEXTS);
  });
});

describe('the client cannot set unknown fields, or fields that the service assigns', () => {
  test.each([
    ['an id', { id: 1n << 62n }],
    ['the time of creation', { createdAt: 'never' }],
    ['a column', { category_id: 7 }],
    ['nested objects', { owner: { name: 'Ann', pets: [{}] } }],
    [
      'prototype keys',
      JSON.parse(
        '{"__proto__":{"status":"sold"},"constructor":{"prototype":{"status":"sold"}},"toString":1,"hasOwnProperty":1}',
      ),
    ],
  ] as [string, object][])('%s', async (_what, extra) => {
    const answer = await service.client.post('/v1/pets', { name: 'a', categoryId: 1, ...extra });
    expect(answer.status).toBe(201);
    const { id } = answer.body as { id: bigint };
    expect(answer.body).toEqual({ id, name: 'a', categoryId: 1n });
    expect(id).toBeLessThan(1n << 62n);
  });

  test('not even with prototype keys in raw JSON', async () => {
    const answer = await send('{"__proto__":{"name":"b","status":"sold"},"name":"a","categoryId":1}');
    expect(answer).toMatchObject({ status: 201, body: { name: 'a' } });
    expect(answer.body).not.toHaveProperty('status');
    expect((await send('{"__proto__":{"name":"b","categoryId":1}}')).status).toBe(400);
  });
});

test('the last one of repeated fields counts', async () => {
  const answer = await send('{"name":"a","name":"b","categoryId":1,"categoryId":2}');
  expect(answer).toMatchObject({ status: 201, body: { name: 'b', categoryId: 2n } });
});

test('any bytes as a body get a response', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      expect((await send(bytes)).status).toBe(400);
    }),
  );
});
