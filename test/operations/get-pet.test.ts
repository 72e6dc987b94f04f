import { beforeAll, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { useService } from '../support/service.ts';

const service = useService();
let created: Answer;
let path: string;
beforeAll(async () => {
  created = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2, status: 'sold' });
  path = created.headers.get('location') ?? '';
});

test('an animal is found by its id', async () => {
  const answer = await service.client.get(path);
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(created.text);
});

test('a client that asks whether the animal exists at all, by If-None-Match, gets 304', async () => {
  const headers = { authorization: `Bearer ${service.client.key ?? ''}`, 'if-none-match': '*' };
  const { status } = await fetch(service.url + path, { headers });
  expect(status).toBe(304);
});

test.each([
  ...[
    '0',
    '-1',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '-9223372036854775809',
  ],
  ...['abc', '1.5', '1.0', '0x1', '+1', '01', '-0', '1%20', '%00', '%F0%9F%90%B1', 'constructor'],
])('%s names no animal: 404', async (petId) => {
  const answer = await service.client.get(`/v1/pets/${petId}`);
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('the operation is deprecated, with exactly these headers', async () => {
  const { headers } = await service.client.get(path);
  expect(headers.get('deprecation')).toBe('@1795046400');
  expect(new Date(1_795_046_400_000).toISOString()).toBe('2026-11-19T00:00:00.000Z');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toBe('</v1/pets>; rel="successor-version"');
});
