import fc from 'fast-check';

import type { Family } from './family.ts';
import {
  ask,
  bodyWith,
  FIELDS,
  LISTS,
  createdFrom,
  MARKER,
  objectOf,
  post,
  query,
  STATUSES,
  taken,
  TEXT_FIELDS,
  withHeaders,
} from './request.ts';
import { petAt } from './values.ts';

/** Node reads the first parameters of a query, and ignores the others. */
const MAX_PARAMETERS = 1000;

const PROTOTYPE = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'];
const POISONS = ['1', 'null', '"x"', '[]', '{"status":"sold","name":"x"}', '{"__proto__":{"a":1}}'];

/** A body with members that must have no effect. */
function withExtras(names: readonly string[], values: readonly string[]) {
  return fc
    .tuple(
      fc.constantFrom(...TEXT_FIELDS),
      fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), {
        minLength: 1,
        maxLength: 5,
      }),
    )
    .map(([field, extras]) =>
      post(
        field.path,
        `${objectOf(extras).slice(0, -1)},${bodyWith(field, `"${MARKER}"`).slice(1)}`,
        [field.success],
        createdFrom(field, MARKER),
      ),
    );
}

const prototypes = fc.oneof(
  withExtras(PROTOTYPE, POISONS),
  fc
    .tuple(fc.constantFrom(...FIELDS.filter(({ required }) => required)), fc.constantFrom(...PROTOTYPE))
    .map(([field, name]) => post(field.path, `{"${name}":${bodyWith(field, '"x"')}}`, [400])),
  fc
    .tuple(
      fc.constantFrom(...LISTS),
      fc.constantFrom(...PROTOTYPE),
      fc.constantFrom('=1', '[limit]=0', '.limit=0', ''),
    )
    .map(([path, name, rest]) => query(path, name + rest, true)),
  fc.constantFrom(...PROTOTYPE).map((name) => query('/v1/pets', `status=${name}`, false)),
  fc.constantFrom(...PROTOTYPE).map((name) => petAt(name)),
  fc.constantFrom(...PROTOTYPE).map((name) => withHeaders(ask('GET', '/v1/pets', 200), [name, '1'])),
);

const ASSIGNED = ['id', 'createdAt', 'accountId', 'account_id', 'ID', 'isAdmin', 'key', 'revokedAt', '$set'];
const assigned = withExtras(ASSIGNED, ['1', '9223372036854775807', '"admin"', 'true', 'null', '{"id":1}']);

const REFUSED_QUERIES = [
  ...['limit=1&limit=2', 'limit=1&limit=1', 'limit=&limit=1', '%6cimit=1&limit=2', 'after=1&after=2'],
  ...['limit=1,2', 'limit=1;limit=2', 'limit=1%262', 'limit=1%00', 'limit=+1', 'limit=1%20', 'limit=0x1'],
  ...['limit=１', 'after=-1', 'after=1%0d%0aSet-Cookie:a=b', 'limit=0', 'limit=101', 'limit=%ff'],
].map((text) => encodeURI(text).replaceAll('%25', '%'));
const IGNORED_QUERIES = [
  ...['limit[]=1', 'limit%5B%5D=0', 'limit[a]=0', 'limit.a=0', 'LIMIT=0', 'limit%00=0', 'limit%20=0'],
  ...['status[$ne]=sold', 'offset=-1', 'order=id;DROP', '%ff=%ff', '%=%', '%zz=1', `x=${MARKER}`],
];
const pollution = fc.oneof(
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom(...REFUSED_QUERIES))
    .map(([path, text]) => query(path, text, false)),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom(...IGNORED_QUERIES))
    .map(([path, text]) => query(path, text, true)),
  fc
    .tuple(fc.constantFrom(...STATUSES), fc.constantFrom(...STATUSES))
    .map(([a, b]) => query('/v1/pets', `status=${a}&status=${b}`, false)),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.integer({ min: 1, max: 1000 }), fc.boolean())
    .map(([path, others, right]) =>
      query(path, `${'a&'.repeat(others)}limit=${right ? 1 : 0}`, right || others >= MAX_PARAMETERS),
    ),
);

const INJECTIONS = [
  ...[`' OR '1'='1`, `'; DROP TABLE pet; --`, `x' || pg_sleep(5) || '`, `\\'; --`, `$1`, `{1,2}`, `\\x00`],
  ...['{{7*7}}', '${jndi:ldap://127.0.0.1/a}', '<%= 7*7 %>', '%s%s%s%n', '<script>alert(1)</script>'],
  ...['../../etc/passwd', '$(sleep 10)', '`sleep 10`', '{"$gt":""}', '\r\nSet-Cookie: a=b'],
];
const injections = fc.constantFrom(...INJECTIONS).chain((text) =>
  fc.oneof(
    ...TEXT_FIELDS.map((field) => fc.constant(taken(field, JSON.stringify(text), text))),
    fc
      .constantFrom(...LISTS)
      .chain((path) =>
        fc
          .constantFrom('limit', 'after')
          .map((name) => query(path, `${name}=${encodeURIComponent(text)}`, false)),
      ),
    fc.constant(query('/v1/pets', `status=${encodeURIComponent(text)}`, false)),
    fc.constant(petAt(encodeURIComponent(text))),
    fc.constant(ask('DELETE', `/keys/${encodeURIComponent(text)}`, 404)),
    fc.constant(ask('GET', `/v1/${encodeURIComponent(text)}`, 404)),
    fc.constant(
      withHeaders(ask('GET', '/v1/pets', 401), ['Authorization', `Bearer ${text.replaceAll(/[\r\n]/g, '')}`]),
    ),
    fc.constant(
      withHeaders(
        ask('GET', '/v1/pets', 200),
        ['X-Request-Id', text.replaceAll(/[\r\n]/g, '')],
        ['User-Agent', '${jndi:x}'],
      ),
    ),
  ),
);

export const INJECTED: readonly Family[] = [
  { name: 'prototype keys', requests: () => prototypes },
  { name: 'mass assignment', requests: () => assigned },
  { name: 'parameter pollution', requests: () => pollution },
  { name: 'SQL and template strings', requests: () => injections },
];
