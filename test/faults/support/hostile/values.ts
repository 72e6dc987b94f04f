import fc from 'fast-check';

import { INT64_MAX, INT64_MIN } from '../../../support/arbitraries.ts';
import type { Family } from './family.ts';
import {
  ask,
  bodyWith,
  type Field,
  FIELDS,
  type HostileRequest,
  INTEGER_FIELDS,
  LISTS,
  createdFrom,
  MARKER,
  objectOf,
  post,
  POSTS,
  query,
  refused,
  STATUSES,
  successOf,
  taken,
  TEXT_FIELDS,
  withHeaders,
} from './request.ts';

const BOUNDARIES = [
  ...[0n, 1n, 100n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 64n, 10n ** 18n, 10n ** 19n, 10n ** 100n],
  ...[INT64_MAX, INT64_MIN, -(2n ** 31n), -(2n ** 53n), -(10n ** 100n)],
];
const boundary = fc
  .tuple(fc.constantFrom(...BOUNDARIES), fc.bigInt({ min: -3n, max: 3n }))
  .map(([value, offset]) => value + offset);

const isInt64 = (value: bigint) => value >= INT64_MIN && value <= INT64_MAX;
const isLimit = (value: bigint) => value >= 1n && value <= 100n;
const isAfter = (value: bigint) => value >= 0n && value <= INT64_MAX;

/** A body with a number in any notation. */
function withInteger(value: bigint, json = String(value)): fc.Arbitrary<HostileRequest> {
  return fc
    .constantFrom(...INTEGER_FIELDS)
    .map((field) => (isInt64(value) ? taken(field, json, value) : refused(field, json)));
}

/** A path with the id of an animal. Only the first animals exist. */
export function petAt(text: string, value?: bigint): HostileRequest {
  const mayExist = value !== undefined && value > 0n && value < 10_000_000n;
  return ask('GET', `/v1/pets/${text}`, ...(mayExist ? [200, 404] : [404]));
}

const numbers = boundary.chain((value) =>
  fc.oneof(
    withInteger(value),
    fc.constantFrom(...LISTS).map((path) => query(path, `limit=${value}`, isLimit(value))),
    fc.constantFrom(...LISTS).map((path) => query(path, `after=${value}`, isAfter(value))),
    fc.constant(petAt(String(value), value)),
    // The run uses the first keys.
    fc.constant(ask('DELETE', `/keys/${value > 0n ? value + 10n ** 9n : value}`, 404)),
  ),
);

/** JSON of every type, except for the valid type of a kind of field. */
const ANY_TYPE = [
  ...['0', '-1', '1.5', '1e400', 'true', 'false', '[]', '{}', '[1]', '["sold"]', '[[]]', '{"a":1}'],
  ...['"1"', '"0x1"', '"true"', '"null"', '"[]"', '{"$ne":null}', '{"toString":"1"}', '{"length":1}'],
];
const isOfKind = {
  text: (json: string) => json.startsWith('"'),
  label: (json: string) => json.startsWith('"'),
  int64: (json: string) => /^-?\d+$/.test(json),
  enum: () => false,
};

const types = fc
  .constantFrom(...FIELDS)
  .chain((field) =>
    fc
      .constantFrom(...ANY_TYPE.filter((json) => !isOfKind[field.kind](json)))
      .map((json) => refused(field, json)),
  );

const nulls = fc.oneof(
  fc.constantFrom(...FIELDS).map((field) => refused(field, 'null')),
  fc
    .tuple(fc.constantFrom(...POSTS), fc.constantFrom('null', '[null]', '[]', '"null"'))
    .map(([path, body]) => post(path, body, [400])),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom('limit', 'after'))
    .map(([path, name]) => query(path, `${name}=null`, false)),
  fc.constantFrom('null', 'undefined', 'NaN', 'None', 'nil', '%00').map((text) => petAt(text)),
);

const missing = fc.constantFrom(...FIELDS).chain((field) => {
  const others = Object.entries(field.others);
  const created = Object.fromEntries(
    Object.entries(createdFrom(field, undefined)).filter(([, value]) => value !== undefined),
  );
  return fc.constantFrom(
    post(
      field.path,
      objectOf(others),
      field.required ? [400] : [field.success],
      field.required ? undefined : created,
    ),
    post(
      field.path,
      objectOf([...others, [field.name.toUpperCase(), '1']]),
      field.required ? [400] : [201],
      field.required ? undefined : created,
    ),
    ...(field.required ? [post(field.path, '{}', [400]), post(field.path, `{"x":"${MARKER}"}`, [400])] : []),
  );
});

const empty = fc.oneof(
  fc.constantFrom(...TEXT_FIELDS).map((field) => taken(field, '""', '')),
  fc.constantFrom(...FIELDS.filter(({ kind }) => kind !== 'text')).map((field) => refused(field, '""')),
  fc
    .tuple(fc.constantFrom(...POSTS), fc.constantFrom('', ' ', '\n', '""'))
    .map(([path, body]) => post(path, body, [400])),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom('limit=', 'limit', 'after=', 'after', 'limit=%20'))
    .map(([path, text]) => query(path, text, false)),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom('', '&', '&&&', '=', '=&=', '?', '%20='))
    .map(([path, text]) => query(path, text, true)),
  fc.constantFrom(...LISTS).map((path) => withHeaders(ask('GET', path, 401), ['Authorization', ''])),
  fc.constantFrom(...POSTS).map((path) => withHeaders(post(path, '{}', [400]), ['Content-Type', ''])),
);

/** The name of a member, plain or with its first letter escaped. */
const escapedName = (name: string) =>
  `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;

const duplicates = fc
  .tuple(
    fc.constantFrom(...TEXT_FIELDS),
    fc.constantFrom('1', 'null', '"x"', '[]'),
    fc.boolean(),
    fc.string(),
  )
  .map(([field, json, lastIsRight, text]) => {
    const right = JSON.stringify(text.replaceAll('\0', ''));
    const wrong = json === '"x"' ? '"\\u0000"' : json;
    const [first, last] = lastIsRight ? [wrong, right] : [right, wrong];
    const body = `{${escapedName(field.name)}:${first},${bodyWith(field, last).slice(1)}`;
    return lastIsRight
      ? post(field.path, body, [field.success], createdFrom(field, text.replaceAll('\0', '')))
      : post(field.path, body, [400]);
  });

const zeros = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.bigInt({ min: 0n, max: 300n }))
  .map(([count, value]) => ({ text: '0'.repeat(count) + String(value), value }))
  .chain(({ text, value }) =>
    fc.oneof(
      fc.constantFrom(...INTEGER_FIELDS).map((field) => refused(field, text)),
      fc.constantFrom(...INTEGER_FIELDS).map((field) => refused(field, `-${text}`)),
      fc.constantFrom(...LISTS).map((path) => query(path, `limit=${text}`, isLimit(value))),
      fc.constantFrom(...LISTS).map((path) => query(path, `after=${text}`, true)),
      fc.constant(petAt(text)),
    ),
  );

const exponents = fc
  .tuple(fc.bigInt({ min: 1n, max: 99_999n }), fc.integer({ min: 0, max: 30 }), fc.boolean())
  .chain(([digits, exponent, negative]) => {
    const sign = negative ? '-' : '';
    const value = digits * 10n ** BigInt(exponent) * (negative ? -1n : 1n);
    const forms = [
      `${digits}e${exponent}`,
      `${digits}E+${exponent}`,
      `${digits}.000e${exponent}`,
      `${digits}0e${exponent - 1}`,
    ];
    return fc.oneof(
      ...forms.map((form) => withInteger(value, sign + form)),
      ...[`0e${exponent}`, `0.0E-${exponent}`, '-0', '-0.0'].map((zero) => withInteger(0n, zero)),
      fc
        .tuple(
          fc.constantFrom(...INTEGER_FIELDS),
          fc.constantFrom(
            `${digits}.5`,
            `${digits}5e-1`,
            `1e-${exponent + 1}`,
            `${digits}e${exponent + 400}`,
          ),
        )
        .map(([field, json]) => refused(field, sign + json)),
      fc
        .constantFrom(...forms)
        .chain((form) =>
          fc.constantFrom(
            query('/v1/pets', `limit=${form}`, false),
            query('/v1/pets', `after=${form}`, false),
            petAt(form),
          ),
        ),
    );
  });

/** Values of a field with the expected results. Undefined means that the value is rejected. */
const anyValue = (kind: Field['kind']): fc.Arbitrary<{ json: string; value?: unknown }> =>
  fc.oneof(
    fc.constantFrom(...ANY_TYPE.filter((json) => !isOfKind[kind](json)), 'null').map((json) => ({ json })),
    {
      text: fc.string({ unit: 'grapheme' }).map((value) => ({ json: JSON.stringify(value), value })),
      label: fc.stringMatching(/^[!-~]{1,64}$/).map((value) => ({ json: JSON.stringify(value), value })),
      int64: boundary.map((value) => ({ json: String(value), ...(isInt64(value) && { value }) })),
      enum: fc.constantFrom(...STATUSES).map((value) => ({ json: JSON.stringify(value), value })),
    }[kind],
  );

const combinations = fc.constantFrom(...POSTS).chain((path) => {
  const fields = FIELDS.filter((field) => field.path === path);
  const values = fields.map(({ kind }) => anyValue(kind));
  return fc.tuple(...values).map((drawn) => {
    const body = objectOf(fields.map(({ name }, i) => [name, drawn[i]?.json ?? 'null']));
    const [first] = fields;
    if (!first || drawn.some(({ value }) => value === undefined)) return post(path, body, [400]);
    const created = Object.fromEntries(fields.map(({ name }, i) => [name, drawn[i]?.value]));
    return post(path, body, successOf(first, drawn[0]?.value), created);
  });
});

export const VALUES: readonly Family[] = [
  { name: 'boundaries of every number', requests: () => numbers },
  { name: 'types swapped', requests: () => types },
  { name: 'null', requests: () => nulls },
  { name: 'missing', requests: () => missing },
  { name: 'empty', requests: () => empty },
  { name: 'duplicate JSON keys', requests: () => duplicates },
  { name: 'leading zeros', requests: () => zeros },
  { name: 'exponents', requests: () => exponents },
  { name: 'any value in any field', requests: () => combinations },
];
