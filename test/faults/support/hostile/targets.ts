import fc from 'fast-check';

import { INT64_MAX } from '../../../support/arbitraries.ts';
import type { Family } from './families.ts';
import { ask, type HostileRequest, MARKER, post, withHeaders } from './request.ts';
import { boundary, PIECES } from './values.ts';

const LISTS = ['/v1/pets', '/v1/store/orders'];

/** A query of a list, which is accepted or rejected. */
const query = (path: string, search: string, accepted: boolean) =>
  ask('GET', `${path}?${search}`, accepted ? 200 : 400);

const REFUSED_QUERIES = [
  ...['limit=1&limit=1', 'limit=&limit=1', '%6cimit=1&limit=2', 'after=1&after=2', 'limit', 'limit='],
  ...['limit=1;limit=2', 'limit=1%262', 'limit=1%00', 'limit=+1', 'limit=0x1', 'limit=%ff', 'limit=１'],
  ...['after=-1', 'after=1%0d%0aSet-Cookie:a=b', 'after=null'],
].map((search) => encodeURI(search).replaceAll('%25', '%'));
const IGNORED_QUERIES = [
  ...['limit[]=0', 'limit%5B%5D=0', 'limit[a]=0', 'limit.a=0', 'LIMIT=0', 'limit%00=0', 'limit%20=0'],
  ...['', '&', '=&=', '?', '%20=', 'status[$ne]=sold', '__proto__[limit]=0', '%ff=%ff', '%=%', `x=${MARKER}`],
];
const queries = fc.constantFrom(...LISTS).chain((path) =>
  fc.oneof(
    fc.constantFrom(...REFUSED_QUERIES).map((search) => query(path, search, false)),
    fc.constantFrom(...IGNORED_QUERIES).map((search) => query(path, search, true)),
    boundary.map((value) => query(path, `limit=${value}`, value >= 1n && value <= 100n)),
    boundary.map((value) => query(path, `after=${value}`, value >= 0n && value <= INT64_MAX)),
    fc.constantFrom(...PIECES).map((piece) => query(path, `limit=${encodeURIComponent(piece)}`, false)),
    // Node reads the first thousand parameters, and ignores the others.
    fc
      .integer({ min: 1, max: 1000 })
      .map((others) => query(path, `${'a&'.repeat(others)}limit=0`, others === 1000)),
  ),
);

const SEGMENTS = ['pets', 'store/orders', 'messages', 'pets/1'];
const TRICKS = [
  ...['/', '//', '/.', '/..', '.', '.json', '%2f', '%5c', '%00', '%20', '%0d%0a', '%3f', '%23', ':1', '@'],
  ...[';a=b', '%2e%2e', '%252f', '%c0%af', '%zz', '%', '%u002f', '/%2e%2e/pets'],
];
const NO_IDS = [
  ...['{}', '[]', '*', '1%3Fx', '1%2F', '1/x', '1/?/', '0x1', '1e3', '1.0', '01', '-0', '+1', '%201', '1%00'],
  ...[
    '1,2',
    '1_000',
    '1n',
    'null',
    '%EF%BC%91',
    '1%E2%80%8B',
    '9'.repeat(5000),
    '$1',
    '..',
    '%ff',
    '__proto__',
  ],
  ...PIECES.map((piece) => encodeURIComponent(piece)),
];
const paths = fc.oneof(
  fc
    .tuple(fc.constantFrom(...SEGMENTS), fc.constantFrom(...TRICKS))
    .map(([path, trick]) => ask('GET', `/v1/${path}${trick}`, 404)),
  fc
    .tuple(
      fc.constantFrom('..%2f', '%2e%2e/', '../', './', '/', '..;/', '%00', '..%252f', `${MARKER}/../`),
      fc.constantFrom('v1/pets', 'keys', 'docs', 'package.json', 'etc/passwd'),
      fc.integer({ min: 1, max: 8 }),
    )
    .map(([trick, path, times]) => ask('GET', `/${trick.repeat(times)}${path}`, 404)),
  fc.constantFrom(...NO_IDS).map((id) => ask('GET', `/v1/pets/${id}`, 404)),
  fc.constantFrom(...NO_IDS).map((id) => ask('DELETE', `/keys/${id}`, 404)),
  boundary.map((id) => ask('GET', `/v1/pets/${id}`, ...(id > 0n && id < 10_000_000n ? [200, 404] : [404]))),
);

/** A valid key in a place where it does not belong, or with a change. */
const credentials = (key: string) =>
  fc.oneof(
    fc
      .constantFrom<HostileRequest>(
        ...['api_key', 'access_token', 'authorization'].map((name) =>
          ask('GET', `/v1/pets?${name}=${key}`, 401),
        ),
        ...['X-Api-Key', 'Cookie', 'Proxy-Authorization'].map((name) =>
          withHeaders(ask('GET', '/v1/pets', 401), [name, `Bearer ${key}`]),
        ),
        withHeaders(post('/keys', '{"label":1}', [401]), ['X-Forwarded-For', '127.0.0.1']),
        withHeaders(
          ask('GET', '/v1/nothing', 404),
          ['X-Original-URL', '/v1/pets'],
          ['X-HTTP-Method-Override', 'GET'],
        ),
      )
      .map((request) => ({ ...request, headers: [...request.headers, ['Authorization', ''] as const] })),
    fc
      .tuple(fc.nat(key.length - 1), fc.constantFrom('', 'a', 'Z', '0', '\t', ' x', '\xe9'))
      .map(([at, piece]) => key.slice(0, at) + piece + key.slice(at + 1))
      .filter((changed) => changed !== key)
      .map((changed) => withHeaders(ask('DELETE', '/keys/0', 401), ['Authorization', `Bearer ${changed}`])),
  );

export const TARGETS: readonly Family[] = [
  { name: 'parameters of lists', requests: () => queries },
  { name: 'paths and ids', requests: () => paths },
  { name: 'keys that are changed, or in another place', requests: credentials },
];
