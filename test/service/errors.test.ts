import { afterAll, describe, expect, test } from 'vitest';

import { PublishedDocument } from '../support/published-document.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService } from '../support/service.ts';

// The documents list the paths below, so the service starts before the tests are declared.
const service = await startService();
afterAll(() => service.stop());
const { operations } = await PublishedDocument.of(service.url);

/** The paths of all operations, and the methods that each supports. */
const OPERATION_PATHS = Object.entries(Object.groupBy(operations, ({ path }) => path)).map(
  ([path, group = []]): [string, string] => {
    const methods = group.map(({ method }) => method);
    if (methods.includes('GET')) methods.push('HEAD');
    return [path.replaceAll(/\{\w+\}/g, '0'), methods.sort().join(', ')];
  },
);

describe.each(OPERATION_PATHS)('%s', (path, allowed) => {
  test.each(['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'])(
    'supports %s, or answers it with 405',
    async (method) => {
      const answer = await service.client.send(method, path);
      if (allowed.split(', ').includes(method)) {
        expect(answer.status).not.toBe(405);
        return;
      }
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allowed);
      expect(answer.text).toBe(
        `{"code":"method_not_allowed","message":"This path supports ${allowed}.","status":405}`,
      );
    },
  );

  test('answers OPTIONS with the methods in Allow, without a key', async () => {
    const answer = await service.client.withKey(undefined).send('OPTIONS', path);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
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
});

test('an expectation other than 100-continue is ignored', async () => {
  const answer = await sendRaw(service.url, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n');
  expect(answer.status).toBe(401);
});

test('preconditions of writes, and ranges, are ignored', async () => {
  for (const name of ['If-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'Range']) {
    expect((await service.client.get('/v1/pets', { headers: { [name]: '*' } })).status, name).toBe(200);
  }
});

test('HTTP/1.0 gets only the final response with its length, and keeps its connection if it requests that', async () => {
  const authorization = `Authorization: Bearer ${service.client.key ?? ''}`;
  const lines = ['POST /v1/pets HTTP/1.0', authorization, 'Connection: keep-alive', 'Expect: 100-continue'];
  const body = ['Content-Type: application/json', 'Content-Length: 27', '', '{"name":"a","categoryId":1}'];
  const { status, headers, text } = await sendRaw(service.url, [...lines, ...body].join('\r\n'));
  expect(status).toBe(201);
  expect(headers.get('content-length')).toBe(String(text.length));
  expect(headers.get('connection')).toBe('keep-alive');
});

describe('404 is the answer to', () => {
  test.each([
    ...[
      '/v1',
      '/v1/',
      '/v2/pets',
      '/pets',
      '/v1/pets/',
      '/v1/pets/1/owner',
      '/v1//pets',
      '/v1/Pets',
      '/v1/keys',
    ],
    ...['/health', '/health/live/', '/favicon.png'],
    ...['/%zz', '/v1/pets/%', '/v1/pets/%C3%28', '/keys/%E0%A4%A', '/docs/%zz'],
  ])('%s: 404', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await service.client.send(method, path);
      expect(answer.status, method).toBe(404);
      if (method !== 'HEAD') expect(answer.body).toMatchObject({ code: 'not_found' });
    }
  });

  test.each(['GET', 'OPTIONS'])('%s *', async (method) => {
    const answer = await sendRaw(service.url, `${method} * HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answer.status).toBe(404);
  });
});

test('an error has exactly code, message and status, in JSON, independently of Accept', async () => {
  const answer = await service.client.get('/v1/nowhere', { headers: { accept: 'text/html' } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text).toBe('{"code":"not_found","message":"This path does not exist.","status":404}');
});

// hostile-sockets.test.ts sends more kinds of such data.
describe('a request that is not HTTP/1.1 gets an Error body, and its connection is closed', () => {
  test.each([
    ['a line of text', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s', async (_what, request) => {
    const answer = await sendRaw(service.url, request);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const message = 'This is not a request in HTTP/1.1 with a known method.';
    expect(answer.text).toBe(`{"code":"invalid_request","message":"${message}","status":400}`);
  });
});

describe('a request without exactly one valid Host is 400', () => {
  test.each([
    '',
    'Host: a\r\nHost: a\r\n',
    ...['', 'a b', 'a/b', 'a@b', 'a:b', 'a:1:2', '[::1', 'a,b c', '\\', 'ä', '<a>'].map(
      (host) => `Host: ${host}\r\n`,
    ),
  ])('%j', async (headers) => {
    const answer = await sendRaw(service.url, `GET /v1/pets HTTP/1.1\r\n${headers}\r\n`);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.text).toBe(
      '{"code":"invalid_request","message":"A request must have exactly one valid Host header.","status":400}',
    );
  });
});

test('two Authorization headers are refused, even if one of them is valid', async () => {
  const key = service.client.key ?? '';
  for (const keys of [
    [key, 'x'],
    ['x', key],
    [key, key],
  ]) {
    const headers = keys.map((each) => `Authorization: Bearer ${each}\r\n`).join('');
    const answer = await sendRaw(service.url, `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    expect(answer.status).toBe(401);
  }
});

test.each(['a', 'pets.example', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'a_b.example', 'A%20b'])(
  'the Host %s is accepted',
  async (host) => {
    const answer = await sendRaw(service.url, `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer.status).toBe(401);
  },
);
