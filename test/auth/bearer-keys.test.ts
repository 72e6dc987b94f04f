import { beforeAll, describe, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { useService } from '../support/service.ts';

const NO_KEY = 'Bearer realm="petstore"';
const WRONG_KEY = 'Bearer realm="petstore", error="invalid_token"';

const service = useService();
let key: string;
beforeAll(() => {
  key = service.client.key ?? '';
});

function getWith(authorization: string): Promise<Answer> {
  return service.client.withKey(undefined).get('/v1/pets', { headers: { authorization } });
}

/** Returns a key that differs from a valid one in one random character, so that its checksum is invalid. */
const typo = () => key.slice(0, 10) + (key.charAt(10) === 'a' ? 'b' : 'a') + key.slice(11);

describe('the header', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  ', 'Bearer      '])(
    '%j and the key are accepted',
    async (scheme) => {
      expect((await getWith(`${scheme} ${key}`)).status).toBe(200);
    },
  );

  test('may end with spaces', async () => {
    expect((await getWith(`Bearer ${key}  `)).status).toBe(200);
  });

  test.each([
    ['nothing', () => ''],
    ['only the scheme', () => 'Bearer'],
    ['only the key', () => key],
    ['no space between the scheme and the key', () => `Bearer${key}`],
    ['another scheme', () => `Basic ${btoa(`${key}:`)}`],
    ['another scheme with the key', () => `Token ${key}`],
    ['a scheme that starts with Bearer', () => `BearerX ${key}`],
  ])('with %s carries no bearer key', async (_what, authorization) => {
    const answer = await getWith(authorization());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(NO_KEY);
  });

  test.each([
    ['a typo in the key', () => `Bearer ${typo()}`],
    ['an unknown key of the right form', () => 'Bearer ps_000000000000000000000000000000000'],
    ['a truncated key', () => `Bearer ${key.slice(0, -1)}`],
    ['a key with an additional character', () => `Bearer ${key}0`],
    ['the key in capitals', () => `Bearer ${key.toUpperCase()}`],
    ['the key in quotes', () => `Bearer "${key}"`],
    ['a key with an additional word', () => `Bearer ${key} x`],
    ['the key twice', () => `Bearer ${key}, Bearer ${key}`],
    ['an empty list', () => 'Bearer ,'],
    ['a key of eight thousand characters', () => `Bearer ${'a'.repeat(8000)}`],
    ['bytes outside of ASCII', () => 'Bearer \xe9\xff'],
    ['the name of a JavaScript property', () => 'Bearer constructor'],
  ])('with %s carries a wrong key', async (_what, authorization) => {
    const answer = await getWith(authorization());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(WRONG_KEY);
  });

  test('must contain the key; the query must not', async () => {
    const answer = await service.client.withKey(undefined).get(`/v1/pets?access_token=${key}&api_key=${key}`);
    expect(answer.status).toBe(401);
  });
});

describe('authentication is checked before', () => {
  const anonymous = () => service.client.withKey(undefined);

  test.each([
    ['an invalid body', () => anonymous().post('/v1/pets', { name: 1 })],
    ['no JSON', () => anonymous().send('POST', '/v1/pets', { rawBody: '{' })],
    ['an invalid limit', () => anonymous().get('/v1/pets?limit=0')],
    ['an animal that does not exist', () => anonymous().get('/v1/pets/0')],
    ['an invalid id', () => anonymous().get('/v1/pets/abc')],
    [
      'another content type',
      () =>
        anonymous().send('POST', '/v1/messages', {
          headers: { 'content-type': 'text/plain' },
          rawBody: 'hello',
        }),
    ],
  ])('%s', async (_what, send) => {
    expect((await send()).status).toBe(401);
  });

  test.each([
    ['Content-Length: 1000000000000'],
    ['Content-Length: 100'],
    ['Transfer-Encoding: chunked'],
    ['Content-Type: application/json\r\nContent-Length: 100'],
  ])('a body announced by %j is not waited for', async (header) => {
    const answer = await sendRaw(
      service.url,
      `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`,
    );
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unauthorized', status: 401 });
  });
});
