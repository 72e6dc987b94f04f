import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const PET = { name: 'Zoë “the cat” d’Or\u00a0🐈 \u0001\\"', categoryId: 9223372036854775807n };

/** Requests in a fixed order, so that every response is the same each time. */
const REQUESTS: [method: string, path: string, options?: { json?: unknown; rawBody?: string }][] = [
  ['GET', '/v1/pets'],
  ['POST', '/v1/pets', { json: PET }],
  ['POST', '/v1/pets', { json: { name: '', categoryId: -9223372036854775808n, status: 'sold' } }],
  ['POST', '/v1/pets', { json: { name: 'Rex', categoryId: 0n, status: 'available' } }],
  ['POST', '/v1/pets', { rawBody: '{"name":"1.0","categoryId":1.0e3,"status":"pending","id":7}' }],
  ['GET', '/v1/pets'],
  ['GET', '/v1/pets?limit=2'],
  ['GET', '/v1/pets?limit=2&after=2'],
  ['GET', '/v1/pets?status=sold'],
  ['GET', '/v1/pets?limit=1&status=available'],
  ['GET', '/v1/pets?limit=0'],
  ['GET', '/v1/pets?status=lost&limit=x'],
  ['GET', '/v1/pets/1'],
  ['HEAD', '/v1/pets/1'],
  ['GET', '/v1/pets/9223372036854775807'],
  ['GET', '/v1/pets/abc'],
  ['POST', '/v1/pets', { json: {} }],
  ['POST', '/v1/pets', { json: { name: 'a\0b', categoryId: 9223372036854775808n, status: null } }],
  ['POST', '/v1/pets', { rawBody: '{' }],
  ['DELETE', '/v1/pets'],
  ['OPTIONS', '/v1/pets'],
  ['POST', '/v1/store/orders', { json: { petId: 1n } }],
  ['POST', '/v1/store/orders', { json: { petId: 3n } }],
  ['POST', '/v1/store/orders', { json: { petId: 999n } }],
  ['GET', '/v1/store/orders'],
  ['GET', '/v1/store/orders?limit=1'],
  ['POST', '/v1/messages', { json: { message: 'héllo 👋' } }],
  ['POST', '/v1/messages', { json: { message: 5 } }],
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/nowhere'],
];

const REQUEST_ID = /(?<=x-request-id: )[\da-f-]{36}$/gm;
const UUID_V7 = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
const TIMESTAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Returns a response as text. Replaces variable parts of the right form by a word. */
function transcript(answer: { status: number; headers: Headers; text: string }): string {
  const headers = [...answer.headers].filter(([name]) => name !== 'date');
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [answer.status, ...lines, '', answer.text]
    .join('\n')
    .replaceAll(service.url, '<root>')
    .replace(REQUEST_ID, '<request id>')
    .replace(UUID_V7, '<uuid v7>')
    .replace(TIMESTAMP, '<timestamp>');
}

test('both databases give the same responses, byte for byte', async () => {
  let conversation = '';
  for (const [method, path, options = {}] of REQUESTS) {
    const headers = options.rawBody === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await service.client.send(method, path, { ...options, headers });
    const body = options.rawBody ?? (options.json === undefined ? '' : 'JSON');
    conversation += `> ${method} ${path} ${body}\n${transcript(answer)}\n\n`;
  }
  await expect(conversation).toMatchFileSnapshot('../support/same-answers.txt');
});
