import fc from 'fast-check';

import type { Family } from './families.ts';
import { ask, type HostileRequest, MARKER, post, withHeaders } from './request.ts';

/** Almost the limits of a body and of the headers. */
const BODY_BYTES = 256 * 1024;
const HEAD_BYTES = 15_000;

/** Repeats a part until the body has the maximum length. */
const fill = (part: string, rest = 100) => part.repeat(Math.floor((BODY_BYTES - rest) / part.length));
const fillTo = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(',');

/** A body with an unknown field that contains the JSON. It is accepted or rejected. */
const withUnknown = (json: string, accepted: boolean): HostileRequest =>
  accepted
    ? post('/v1/pets', `{"name":"a","categoryId":1,"x":${json}}`, [201], { name: 'a', categoryId: 1n })
    : post('/v1/pets', `{"name":"a","categoryId":1,"x":${json}}`, [400]);

const listOf = (part: string) => `[${fill(`${part},`, 100 + part.length)}${part}]`;

/** Bodies of 256 KiB that are expensive to parse, each in a different way. */
const WORST_BODIES: Readonly<Record<string, HostileRequest>> = {
  'many numbers with a fraction of zero': withUnknown(listOf('1.0'), false),
  '4,900 long exponents': withUnknown(`[${fillTo(4900, (i) => `${'9'.repeat(40)}e${i % 300}`)}]`, true),
  'one number of all digits': withUnknown(fill('7'), true),
  'a category of all digits': post('/v1/pets', `{"name":"a","categoryId":${fill('7')}}`, [400]),
  'a category of 1 and zeros that an exponent takes back': post(
    '/v1/pets',
    `{"name":"a","categoryId":1${'0'.repeat(260_000)}e-260000}`,
    [201],
    { name: 'a', categoryId: 1n },
  ),
  'a category with an exponent of all digits': post(
    '/v1/pets',
    `{"name":"a","categoryId":1e${fill('9')}}`,
    [400],
  ),
  'many members': withUnknown(`{${fillTo(25_000, (i) => `"${i.toString(36)}":0`)}}`, false),
  '9 objects of 500 members with long names': withUnknown(
    `[${fillTo(9, () => `{${fillTo(500, (i) => `"${i.toString(36).padStart(46, 'k')}":1e1`)}}`)}]`,
    true,
  ),
  'arrays in arrays': withUnknown('['.repeat(120_000) + ']'.repeat(120_000), false),
  '101 levels': withUnknown('['.repeat(101) + ']'.repeat(101), false),
  '98 levels of 40 numbers': withUnknown(
    '['.repeat(98) +
      ']'
        .repeat(98)
        .replaceAll(']', `,${fillTo(40, () => '1.0')}]`)
        .replace(',', ''),
    true,
  ),
  'a string of escapes': withUnknown(`"${fill('\\n')}"`, true),
  'a string of escaped pairs': withUnknown(`"${fill('\\ud83d\\udc31')}"`, true),
  'a message of escapes': post('/v1/messages', `{"message":"${fill('\\u0001')}"}`, [202], {
    message: '\u0001'.repeat(fill('\\u0001').length / 6),
  }),
  'a name that is too long': post('/v1/pets', `{"name":"${fill('a')}","categoryId":1}`, [400]),
  spaces: post('/v1/pets', `{"name":"a",${fill(' ')}"categoryId":1}`, [201], { name: 'a', categoryId: 1n }),
  'a string without an end': post('/v1/pets', `{"name":"${fill('a')}`, [400]),
};

const worstBodies = fc.constantFrom(...Object.values(WORST_BODIES));

const TYPE_PARTS = [' ', ';', '\t', '"', '\\"', '; a=b', '; a="b"', ',', '; charset=utf-8', ';charset="'];
const contentTypes = fc
  .tuple(
    fc.constantFrom(...TYPE_PARTS),
    fc.constantFrom('application/json', 'application/json; charset=', 'application/json; a="', ''),
    fc.constantFrom('', 'x', '"', '; charset=utf-8'),
    fc.constantFrom('/accounts', '/v1/pets', '/keys'),
  )
  .map(([part, start, end, path]) => {
    const type = start + part.repeat(HEAD_BYTES / part.length) + end;
    // No field is valid, so the body is rejected with any interpretation of its type.
    return withHeaders(post(path, '{}', [400]), ['Content-Type', type]);
  });

const PARTS = [
  'a',
  '0',
  '-',
  '1.',
  '"',
  '\\"',
  ' ',
  '%20',
  '%',
  '%e2%80%a8',
  '!',
  '~',
  ',',
  '/',
  '.',
  ':',
  '=',
];
const long = fc
  .tuple(
    fc.constantFrom(...PARTS),
    fc.constantFrom('', '"', '1', '-', 'x'),
    fc.constantFrom('', '"', 'x', '\x80'),
  )
  .map(([part, start, end]) => ({ text: start + part.repeat(HEAD_BYTES / part.length) + end, part }));

/** As many parameters as a request may have, with one more. */
const PARAMETERS = Array.from({ length: 499 }, (_, index) => `unknown-parameter-${index}=a`);

const strings = long.chain(({ text }) => {
  const inPath = encodeURI(text)
    .replaceAll(/[^\w%.~!-]/g, '-')
    .slice(0, 14_000);
  return fc.constantFrom<HostileRequest>(
    withHeaders(
      post('/v1/pets', '{"name":"a","categoryId":1}', [400]),
      ['Content-Type', 'application/json'],
      // Spaces at the ends are not part of a header.
      ['Idempotency-Key', `x${text}x`],
    ),
    withHeaders(ask('GET', '/v1/pets?limit=1', 200), ['X-Request-Id', text]),
    withHeaders(ask('GET', '/v1/pets', 401), ['Authorization', `Bearer${text}`]),
    withHeaders(ask('GET', '/v1/pets', 401), ['Authorization', `Bearer ${text}`]),
    withHeaders(ask('GET', '/v1/pets', 401), ['Authorization', `Bearer ${' '.repeat(14_000)}x`]),
    withHeaders(ask('GET', '/v1/pets', 401), ['Authorization', `Bearer ps_${'a'.repeat(14_000)}`]),
    ...['Cookie', 'Accept', 'Range', 'If-None-Match', 'Content-Type', 'traceparent'].map((name) =>
      withHeaders(ask('GET', '/v1/pets?limit=1', 200), [name, text]),
    ),
    withHeaders(ask('GET', '/v1/pets?limit=1', 200), ['Forwarded', text], ['X-Forwarded-For', MARKER]),
    ask('GET', `/v1/pets?limit=${inPath}`, 400),
    ask('GET', `/v1/pets?after=${inPath}x`, 400),
    ask('GET', `/v1/pets?status=${inPath}`, 400),
    ask('GET', `/v1/pets/1${inPath}x`, 404),
    ask('GET', `/v1/pets/1${'0'.repeat(14_000)}`, 404),
    ask('DELETE', `/keys/9${inPath}x`, 404),
    ask('GET', `/docs/${inPath}`, 404),
    ask('GET', `/v1/${inPath}`, 404),
    ask('GET', '/'.repeat(HEAD_BYTES), 404),
    ask('GET', `/v1/pets?${PARAMETERS.join('&')}&limit=1`, 200),
    ask('GET', `/v1/pets?${'a&'.repeat(7000)}limit=1`, 200),
    ask('GET', `/v1/pets?${'%61=%62&'.repeat(1800)}limit=1`, 200),
  );
});

/** Input of the maximum size, or slightly more. */
export const BOUNDED: readonly Family[] = [
  { name: 'the worst JSON of 256 KiB', requests: () => worstBodies, costly: true },
  { name: 'content types of 15 kB', requests: () => contentTypes },
  { name: 'strings of 15 kB for every pattern', requests: () => strings },
];
