import { expect, test } from 'vitest';

import { sendRaw } from '../support/raw-request.ts';
import { startServiceForTest, useService } from '../support/service.ts';

const service = useService({ STAGING_URL: 'https://staging.example.com/v1' });

const POLICY =
  "default-src 'none';script-src 'self';" +
  "style-src 'self';img-src 'self' data:;" +
  "connect-src 'self' https://staging.example.com;base-uri 'none';form-action 'self';frame-ancestors 'none'";

test.each(['/docs', '/docs/explorer.js', '/console', '/openapi.json', '/openapi.yaml', '/nowhere'])(
  '%s comes with a strict policy for browsers',
  async (path) => {
    const { headers } = await service.client.get(path);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  },
);

// The client of the tests checks this for every other response.
test('browsers may not guess the content type of a response to data that is not HTTP, or cache it', async () => {
  const { headers } = await sendRaw(service.url, 'hello\r\n\r\n');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('private, no-store');
});

test('with an address in HTTPS, every response has Strict-Transport-Security', async () => {
  const { url } = await startServiceForTest({ PUBLIC_URL: 'https://shop.example/v1' });
  const answers = [await sendRaw(url, 'hello\r\n\r\n')];
  for (const path of ['/docs', '/v1/pets', '/nowhere', '/health/live'])
    answers.push(await sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
  for (const { headers } of answers)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});

test('a response of an operation has no headers for pages', async () => {
  const { headers } = await service.client.get('/v1/pets');
  expect([...headers.keys()].sort()).toEqual([
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'x-content-type-options',
    'x-request-id',
  ]);
});
