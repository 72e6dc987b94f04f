import fc from 'fast-check';

import { INT64_MAX, INT64_MIN } from '../../../support/arbitraries.ts';
import type { Family } from './families.ts';
import { ask, escaped, type HostileRequest, MARKER, post, withHeaders } from './request.ts';

const LISTS = ['/v1/pets', '/v1/store/orders'];
const STATUSES = ['available', 'pending', 'sold'];

type Kind = 'text' | 'label' | 'int64' | 'enum';

/** The fields of each body, and the status of its success. An order may name an unknown animal, and a key be too many. */
const BODIES: readonly { path: string; fields: Readonly<Record<string, Kind>>; statuses: number[] }[] = [
  { path: '/v1/pets', fields: { name: 'text', categoryId: 'int64', status: 'enum' }, statuses: [201] },
  { path: '/v1/messages', fields: { message: 'text' }, statuses: [202] },
  { path: '/v1/store/orders', fields: { petId: 'int64' }, statuses: [201, 404] },
  { path: '/keys', fields: { label: 'label' }, statuses: [201, 409] },
];

const BOUNDARIES = [
  ...[0n, 1n, 100n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 64n, 10n ** 18n, 10n ** 19n, 10n ** 100n],
  ...[INT64_MAX, INT64_MIN, -(2n ** 31n), -(2n ** 53n), -(10n ** 100n)],
];
const boundary = fc
  .tuple(fc.constantFrom(...BOUNDARIES), fc.bigInt({ min: -3n, max: 3n }))
  .map(([value, offset]) => value + offset);
const isInt64 = (value: bigint) => value >= INT64_MIN && value <= INT64_MAX;

/** Pieces of text that careless code strips, normalises, cuts or executes. */
const PIECES = [
  ...[
    MARKER,
    ' ',
    '"',
    '\\',
    '\u200b',
    '\ufeff',
    '\u00ad',
    '\u202e',
    '\u2066',
    'e\u0301',
    '\u2028',
    '\ufffe',
  ],
  ...[`o${'\u0300'.repeat(40)}`, '👩‍👩‍👧‍👦', '\u{10ffff}', '\x01', '\x1f', '\x7f', '\x85', 'שלום', '＇'],
  ...[`' OR '1'='1`, `'; DROP TABLE pet; --`, `x' || pg_sleep(5) || '`, `\\'; --`, '$1', '{1,2}', '\\x00'],
  ...['{{7*7}}', '${jndi:ldap://127.0.0.1/a}', '<%= 7*7 %>', '%s%s%n', '<script>alert(1)</script>'],
  ...['../../etc/passwd', '$(sleep 10)', '`sleep 10`', '{"$gt":""}', '\r\nSet-Cookie: a=b'],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })), { maxLength: 5 })
  .map((parts) => parts.join('').replaceAll('\0', ''));

/** JSON that is no value of a kind. */
const WRONG: Readonly<Record<Kind, readonly string[]>> = {
  text: [
    'null',
    '1',
    'true',
    '[]',
    '{"a":1}',
    '"\\u0000"',
    '"\\ud800"',
    '"a\\udc00\\ud83d"',
    '"\n"',
    '"\\x41"',
  ],
  label: ['null', '1', '{}', '""', '" "', '"a\\nb"', '"\\u202e"', `"${'x'.repeat(65)}"`],
  int64: [
    'null',
    '"1"',
    'true',
    '[1]',
    '{"$ne":null}',
    '1.5',
    '1e400',
    '1e-1',
    '01',
    '+1',
    '0x1',
    'NaN',
    '""',
  ],
  enum: [
    'null',
    '0',
    '""',
    '["sold"]',
    '"Sold"',
    '"sold "',
    '"soⅼd"',
    '"avaіlable"',
    '"toString"',
    '"__proto__"',
  ],
};

/** Values of a kind with the expected results. Undefined means that the value is rejected. */
const valuesOf = (kind: Kind): fc.Arbitrary<{ json: string; value?: unknown }> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...WRONG[kind]).map((json) => ({ json })) },
    {
      weight: 4,
      arbitrary: {
        text: fc
          .tuple(text, fc.constantFrom<(text: string) => string>(JSON.stringify, escaped))
          .map(([value, write]) => ({ json: write(value), value })),
        label: fc.stringMatching(/^[!-~]{1,64}$/).map((value) => ({ json: JSON.stringify(value), value })),
        int64: fc
          .tuple(boundary, fc.constantFrom('', '.000', 'e0', '.0E+0'))
          .map(([value, rest]) => ({ json: `${value}${rest}`, ...(isInt64(value) && { value }) })),
        enum: fc.constantFrom(...STATUSES).map((value) => ({ json: JSON.stringify(value), value })),
      }[kind],
    },
  );

/** Fields that must have no effect: unknown ones, those that the service assigns, and those of every object. */
const EXTRAS = ['__proto__', 'constructor', 'prototype', 'toJSON', 'id', 'createdAt', 'accountId', 'isAdmin'];
const extras = fc.array(
  fc.tuple(
    fc.constantFrom(...EXTRAS),
    fc.constantFrom('1', 'null', '"x"', '[]', '{"status":"sold","name":"x"}'),
  ),
  { maxLength: 3 },
);

const bodies = fc.constantFrom(...BODIES).chain(({ path, fields, statuses }) =>
  fc.tuple(extras, ...Object.values(fields).map(valuesOf)).map(([others, ...drawn]) => {
    const names = Object.keys(fields);
    const members = [...others, ...names.map((name, i) => [name, drawn[i]?.json ?? 'null'] as const)];
    const body = `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
    if (drawn.some(({ value }) => value === undefined)) return post(path, body, [400]);
    return post(path, body, statuses, Object.fromEntries(names.map((name, i) => [name, drawn[i]?.value])));
  }),
);

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

export const VALUES: readonly Family[] = [
  { name: 'any value in any field, and fields that have no effect', requests: () => bodies },
  { name: 'parameters of lists', requests: () => queries },
  { name: 'paths and ids', requests: () => paths },
  { name: 'keys that are changed, or in another place', requests: credentials },
];
