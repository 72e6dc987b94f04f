import fc from 'fast-check';

import { INT64_MAX, INT64_MIN } from '../../../support/arbitraries.ts';
import type { Family } from './families.ts';
import { escaped, MARKER, post } from './request.ts';

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
export const boundary = fc
  .tuple(fc.constantFrom(...BOUNDARIES), fc.bigInt({ min: -3n, max: 3n }))
  .map(([value, offset]) => value + offset);
const isInt64 = (value: bigint) => value >= INT64_MIN && value <= INT64_MAX;

/** Pieces of text that careless code strips, normalises, cuts or executes. */
export const PIECES = [
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

export const VALUES: Family = {
  name: 'any value in any field, and fields that have no effect',
  requests: () => bodies,
};
