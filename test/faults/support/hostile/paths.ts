import fc from 'fast-check';

import { type Operation, unlistedMethods } from './document.ts';
import type { Family } from './family.ts';
import { ask, LISTS, MARKER, query } from './request.ts';
import { petAt } from './values.ts';

const SEGMENTS = ['pets', 'store/orders', 'messages', 'pets/1'];
const TRICKS = [
  ...['/', '//', '/.', '/..', '.', '.json', '%2f', '%5c', '%00', '%20', '%0d%0a', '%3f', '%23'],
  ...[';a=b', '%2e%2e', '%252f', '%c0%af', '%zz', '%', '%u002f', '/%2e%2e/pets', ':1', '@'],
];
const tricks = fc.oneof(
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
  fc.constantFrom(...SEGMENTS, 'docs').chain((path) =>
    fc
      .nat(path.length - 1)
      .map((at) => path.slice(0, at) + path.charAt(at).toUpperCase() + path.slice(at + 1))
      .filter((changed) => changed !== path)
      .map((changed) => ask('GET', `/v1/${changed}`, 404)),
  ),
  fc
    .constantFrom(
      '/V1/pets',
      '/v1/Pets',
      '/v1//pets',
      '//v1/pets',
      '/v1/./pets',
      '/v1/x/../pets',
      '/v1/%70ets',
    )
    .map((path) => ask('GET', path, 404)),
  fc
    .constantFrom('..%2f..%2fpackage.json', '../docs', '.', 'swagger-ui.css/', 'swagger-ui.css%00')
    .map((file) => ask('GET', `/docs/${file}`, 404)),
);

const NO_IDS = [
  ...['{}', '[]', '*', '1%3Fx', '1%2F', '1/x', '1/?/', '0x1', '1e3', '1.0', '01', '-0', '+1', '%201', '1%00'],
  ...['1,2', '1_000', '1n', 'true', 'null', 'NaN', '-', '%EF%BC%91', '1%E2%80%8B', '%F0%9F%90%B1'],
  ...['9'.repeat(19), '9'.repeat(5000), '-' + '9'.repeat(19), '{petId}', '$1', '..', '%ff', '%'],
];
const ids = fc.oneof(
  fc.constantFrom(...NO_IDS).map((id) => petAt(id)),
  fc.constantFrom(...NO_IDS).map((id) => ask('DELETE', `/keys/${id}`, 404)),
  fc
    .tuple(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.constantFrom('?x', '?', '?/', '?{}', '?x=1&limit=0', '?%00', `?${MARKER}`),
    )
    .map(([id, rest]) => petAt(`${id}${rest}`, BigInt(id))),
  fc.integer({ min: 1, max: 9 }).map((id) => petAt(`%3${id}`, BigInt(id))),
  fc
    .string({ unit: 'binary' })
    .filter((id) => !/^(0|-?[1-9]\d*)$/.test(id) && id !== '' && id.isWellFormed())
    .map((id) => ask('GET', `/v1/pets/${encodeURIComponent(id).replaceAll('.', '%2e')}`, 404)),
);

const methods = (operations: readonly Operation[]) =>
  fc
    .constantFrom(...operations)
    .chain((operation) =>
      fc
        .constantFrom('OPTIONS', ...unlistedMethods(operation))
        .map((method) =>
          ask(method, operation.path.replaceAll(/\{\w+\}/g, '0'), method === 'OPTIONS' ? 204 : 405),
        ),
    );

const bodiesOnGet = fc
  .tuple(fc.constantFrom(...LISTS), fc.constantFrom('{"limit":0}', MARKER, '\r\n\r\nGET /x HTTP/1.1\r\n\r\n'))
  .map(([path, body]) => ({ ...query(path, 'limit=1', true), body }));

export const PATHS: readonly Family[] = [
  { name: 'path tricks', requests: () => tricks },
  { name: 'ids like 1?x, 1/?/ and {}', requests: () => ids },
  { name: 'TRACE and unlisted methods', requests: ({ operations }) => methods(operations) },
  { name: 'a body on GET', requests: () => bodiesOnGet },
];
