import fc from 'fast-check';

import { isKey } from '#src/auth/keys/api-key';

import type { Family } from './family.ts';
import { ask, type HostileRequest, MARKER, post, withHeaders } from './request.ts';

/** A request of every operation that would succeed, or be a 404, with a valid key. */
const OPERATIONS: readonly HostileRequest[] = [
  ask('GET', '/v1/pets', 401),
  ask('GET', '/v1/pets?limit=0', 401),
  ask('GET', '/v1/pets/1', 401),
  ask('GET', '/v1/pets/x', 401),
  ask('GET', '/v1/store/orders', 401),
  ask('GET', '/keys', 401),
  ask('DELETE', '/keys/0', 401),
  post('/v1/pets', '{"name":"a","categoryId":1}', [401]),
  post('/v1/messages', `{"message":"${MARKER}"}`, [401]),
  post('/v1/store/orders', '{"petId":1}', [401]),
  post('/keys', '{"label":1}', [401]),
];

const BASE62 = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/** Wrong forms of the header with a valid key. */
function malformed(key: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      ...['', 'Bearer', 'Bearer  ', key, `Bearer${key}`, `Bearer\t${key}`, `Bearer\xa0${key}`],
      ...[`Basic ${btoa(`${key}:`)}`, `Token ${key}`, `BearerX ${key}`, `"Bearer" ${key}`, `Bearer "${key}"`],
      ...[`Bearer ${key} x`, `Bearer x ${key}`, `Bearer ${key}, Bearer ${key}`, `Bearer ${key};`],
      ...[`Bearer ${key.toUpperCase()}`, `Bearer ${key.slice(3)}`, `Bearer ps_${key}`, `Bearer ${btoa(key)}`],
      ...['Bearer null', 'Bearer *', 'Bearer ,', 'Bearer __proto__', 'Bearer ' + 'a'.repeat(8000)],
      ...[`Bearer ${key}${'a'.repeat(8000)}`, `Bearer ${' '.repeat(5000)}x`],
    ),
    // A key with one character changed, removed or added.
    fc
      .tuple(
        fc.nat(key.length),
        fc.constantFrom(...BASE62),
        fc.constantFrom(0, 1),
        fc.constantFrom(true, false),
      )
      .map(([at, character, taken, put]) => key.slice(0, at) + (put ? character : '') + key.slice(at + taken))
      .filter((text) => text !== key && text.trim() !== '')
      .map((text) => `Bearer ${text}`),
    // A random text in the form of a key.
    fc
      .array(fc.constantFrom(...BASE62), { minLength: 33, maxLength: 33 })
      .map((characters) => `ps_${characters.join('')}`)
      .filter((text) => !isKey(text))
      .map((text) => `Bearer ${text}`),
    fc.string({ maxLength: 60 }).map((text) => text.trim()),
  );
}

/** Requests with a missing, wrong or misplaced key. */
export const CREDENTIALS: Family = {
  name: 'every malformed form of the Authorization header',
  requests: ({ key }) =>
    fc.oneof(
      fc.tuple(fc.constantFrom(...OPERATIONS), malformed(key)).map(([request, authorization]) => ({
        ...request,
        headers: [...request.headers, ['Authorization', authorization] as const],
      })),
      misplaced(key),
    ),
};

/** Requests with a valid key in a place where it does not belong. */
function misplaced(key: string): fc.Arbitrary<HostileRequest> {
  return fc
    .constantFrom(
      ...['api_key', 'access_token', 'authorization'].map((name) =>
        ask('GET', `/v1/pets?${name}=${key}`, 401),
      ),
      ...['X-Api-Key', 'Cookie', 'Proxy-Authorization'].map((name) =>
        withHeaders(ask('GET', '/v1/pets', 401), [name, `Bearer ${key}`]),
      ),
      withHeaders(
        ask('GET', '/v1/pets', 401),
        ['X-Forwarded-For', '127.0.0.1'],
        ['X-Forwarded-Host', 'localhost'],
      ),
      withHeaders(
        ask('GET', '/v1/nothing', 404),
        ['X-Original-URL', '/v1/pets'],
        ['X-HTTP-Method-Override', 'GET'],
      ),
    )
    .map((request) => ({ ...request, headers: [...request.headers, ['Authorization', ''] as const] }));
}
