import { expect, test } from 'vitest';

import { useService } from '../support/service.ts';

const service = useService();

/** A UUID. */
const NEW_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

async function requestIdOf(path: string, given?: string): Promise<string> {
  const headers = given === undefined ? {} : { 'x-request-id': given };
  return (await service.client.get(path, { headers })).headers.get('x-request-id') ?? '';
}

test.each([
  '/v1/pets',
  '/v1/pets/0',
  '/v1/pets?limit=0',
  '/nowhere',
  '/v1/pets/%zz',
  '/openapi.json',
  '/docs',
  '/health/live',
])('the answer of %s has a new id, or that of the request', async (path) => {
  const [first, second] = [await requestIdOf(path), await requestIdOf(path)];
  for (const id of [first, second]) expect(id).toMatch(NEW_ID);
  expect(first).not.toBe(second);
  expect(await requestIdOf(path, 'client-1')).toBe('client-1');
});

test.each(['a', 'A-1_b.c:d=e+f/g', '019a9f3c-5c00-7e1b-8a4d-3f6b2c9d1e0f', 'x'.repeat(128)])(
  'the valid id %s is returned',
  async (id) => expect(await requestIdOf('/v1/pets', id)).toBe(id),
);

test.each(['', ' ', 'a b', 'a\tb', '{"a":1}', '<script>', 'a,b', 'ä', 'x'.repeat(129)])(
  'the id %j is replaced',
  async (id) => expect(await requestIdOf('/v1/pets', id)).toMatch(NEW_ID),
);

test('no response names the software of the service', async () => {
  for (const path of ['/v1/pets', '/nowhere', '/docs', '/openapi.json']) {
    const { headers } = await service.client.get(path);
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.has('server')).toBe(false);
  }
});
