import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PublishedDocument } from '../support/published-document.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService } from '../support/service.ts';

// The documents list the paths below, so the service starts before the tests are declared.
const service = await startService();
afterAll(() => service.stop());
const { operations } = await PublishedDocument.of(service.url);

let pet: string;
beforeAll(async () => {
  const answer = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2 });
  pet = answer.headers.get('location') ?? '';
});

/** The paths of all operations, and the methods that each supports. */
const OPERATION_PATHS = Object.entries(Object.groupBy(operations, ({ path }) => path)).map(
  ([path, group = []]): [string, string] => {
    const methods = group.map(({ method }) => method);
    if (methods.includes('GET')) methods.push('HEAD');
    return [path.replaceAll(/\{\w+\}/g, '0'), methods.sort().join(', ')];
  },
);

const HEALTH_PATHS = ['/health/live', '/health/ready'].map((path): [string, string] => [path, 'GET, HEAD']);

describe.each([...OPERATION_PATHS, ...HEALTH_PATHS])('%s', (path, allowed) => {
  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    'supports %s, or answers it with 405',
    async (method) => {
      const answer = await service.client.send(method, path);
      if (allowed.split(', ').includes(method)) {
        expect(answer.status).not.toBe(405);
        return;
      }
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allowed);
      if (method === 'HEAD') return;
      expect(answer.text).toBe(
        `{"code":"method_not_allowed","message":"This path supports ${allowed}.","status":405}`,
      );
    },
  );

  test('answers OPTIONS with the methods in Allow, without a key', async () => {
    const answer = await service.client.withKey(undefined).send('OPTIONS', path);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('HEAD has the headers of GET and no body', () => {
  test.each([
    '/v1/pets',
    '/v1/store/orders',
    '/keys',
    '/health/live',
    '/openapi.json',
    '/docs',
    '/v1/pets/0',
  ])('%s', async (path) => {
    const get = await service.client.get(path);
    const head = await service.client.send('HEAD', path);
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    for (const name of ['content-type', 'content-length', 'link']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test('with the headers of a deprecation', async () => {
    const head = await service.client.send('HEAD', pet);
    expect(head.status).toBe(200);
    expect(head.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  });
});

test('HTTP/1.0 gets the length of a response, and keeps its connection if it requests that', async () => {
  const authorization = `Authorization: Bearer ${service.client.key ?? ''}`;
  const lines = ['GET /v1/pets HTTP/1.0', authorization, 'Connection: keep-alive', '', ''];
  const { status, headers, text } = await sendRaw(service.url, lines.join('\r\n'));
  expect(status).toBe(200);
  expect(headers.get('content-length')).toBe(String(text.length));
  expect(headers.get('connection')).toBe('keep-alive');
});

describe('404 is the answer to', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v2/pets',
    '/pets',
    '/v1/pets/',
    '/v1/pets/1/',
    '/v1/pets/1/owner',
    '/v1//pets',
    '/v1/Pets',
    '/V1/pets',
    '/v1/store',
    '/v1/store/orders/1',
    '/v1/messages/',
    '/v1/keys',
    '/Keys',
    '/health',
    '/health/live/',
    '/docs/index.html',
    '/docs/%2e%2e/package.json',
    '/openapi.json/',
    '/index.html',
    '/favicon.png',
    '/%zz',
    '/v1/pets/%zz',
    '/v1/pets/%',
    '/v1/pets/%C3%28',
    '/v1/pets/%ff',
    '/keys/%E0%A4%A',
    '/docs/%zz',
  ])('%s: 404', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await service.client.send(method, path);
      expect(answer.status, method).toBe(404);
      if (method !== 'HEAD') expect(answer.body).toMatchObject({ code: 'not_found' });
    }
  });
});

test('an error has exactly code, message and status, in JSON, independently of Accept', async () => {
  const answer = await service.client.get('/nowhere', { headers: { accept: 'text/html' } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text).toBe('{"code":"not_found","message":"This path does not exist.","status":404}');
});

describe('a request that is not HTTP/1.1 gets an Error body, and its connection is closed', () => {
  test.each([
    ['a line of text', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\0\x01\0\r\n\r\n'],
    ['a header without a name', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    ['two lengths', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a negative length', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    [
      'a length and a transfer coding',
      'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['an unknown expectation', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n'],
    ['headers of a megabyte', `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['a URL of a megabyte', `GET /v1/pets?limit=${'1'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('%s', async (_what, request) => {
    const answer = await sendRaw(service.url, request);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(JSON.parse(answer.text)).toEqual({
      code: 'invalid_request',
      message: expect.stringMatching(/HTTP\/1\.1|100-continue|exceed 16384 bytes/) as string,
      status: 400,
    });
  });
});

describe('a request that RFC 9112 forbids gets an Error body', () => {
  const key = () => `Authorization: Bearer ${service.client.key ?? ''}`;
  test.each<[string, () => string, number, string]>([
    ['no Host', () => 'GET /v1/pets HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['two Hosts', () => 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
    ['an empty Host', () => 'GET /v1/pets HTTP/1.1\r\nHost:\r\n\r\n', 400, 'invalid_request'],
    ...['a b', 'a/b', 'a@b', 'a:b', 'a:1:2', '[::1', 'a,b c', '\\', 'ä', '<a>'].map(
      (host): [string, () => string, number, string] => [
        `the Host ${host}`,
        () => `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
        400,
        'invalid_request',
      ],
    ),
    [
      'two Authorization headers',
      () => `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${key()}\r\n${key()}\r\n\r\n`,
      400,
      'invalid_request',
    ],
    [
      'two Content-Types',
      () =>
        `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${key()}\r\n${'Content-Type: application/json\r\n'.repeat(2)}Content-Length: 2\r\n\r\n{}`,
      400,
      'invalid_request',
    ],
    [
      'another transfer coding',
      () => 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
      501,
      'not_implemented',
    ],
    [
      'another transfer coding before chunked',
      () => 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
      'not_implemented',
    ],
    ['an unknown method', () => 'BREW /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'not_implemented'],
    ['a method in small letters', () => 'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'not_implemented'],
    ...['9.9', '1.2', '2.0', '0.9', '3'].map((version): [string, () => string, number, string] => [
      `the version ${version}`,
      () => `GET /v1/pets HTTP/${version}\r\nHost: a\r\n\r\n`,
      505,
      'http_version_not_supported',
    ]),
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'http_version_not_supported'],
  ])('%s', async (_what, request, status, code) => {
    const answer = await sendRaw(service.url, request());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(JSON.parse(answer.text)).toEqual({ code, message: expect.any(String) as string, status });
  });
});

test('a bare line feed after the version is an invalid request, not another version', async () => {
  const answer = await sendRaw(service.url, 'GET /v1/pets HTTP/1.1\nHost: a\n\n');
  expect(answer.status).toBe(400);
});

test('the connection is closed after a request in another transfer coding, and the response announces that', async () => {
  const answer = await sendRaw(
    service.url,
    'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  );
  expect(answer.status).toBe(501);
  expect(answer.headers.get('connection')).toBe('close');
});

test.each(['a', 'pets.example', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'a_b.example', 'A%20b'])(
  'the Host %s is accepted',
  async (host) => {
    const answer = await sendRaw(service.url, `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer.status).toBe(401);
  },
);

test('a target in absolute form is handled by its path', async () => {
  const answer = await sendRaw(
    service.url,
    'GET http://pets.example/v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n',
  );
  expect(answer.status).toBe(401);
});

test('OPTIONS for the server as a whole is answered', async () => {
  const answer = await sendRaw(service.url, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
  expect([204, 404]).toContain(answer.status);
});
