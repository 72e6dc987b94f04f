import { ServiceUnavailableException } from '@nestjs/common';
import { describe, expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';

import { createDatabase } from '../support/database.ts';
import { FEATURES, rootOf } from '../support/root.ts';
import { useService } from '../support/service.ts';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';

const REQUESTED_HEADERS = 'authorization,content-type,idempotency-key,traceparent,x-anything';

const byDefault = useService();
const service = useService({ CORS_ORIGINS: `${SHOP},http://localhost:5173` });

const from = (origin: string) => ({ headers: { origin } });

const preflight = (path: string, origin: string, method = 'POST') =>
  service.client.withKey(undefined).send('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': REQUESTED_HEADERS,
    },
  });

describe('pages of a listed origin', () => {
  test.each([SHOP, 'http://localhost:5173'])('(%s) can read responses and their headers', async (origin) => {
    const { status, headers } = await service.client.get('/v1/pets', from(origin));
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toBe('*');
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('and caches keep pages apart by the origin', async () => {
    const { headers } = await service.client.withKey(undefined).get('/docs', from(SHOP));
    expect(headers.get('vary')).toBe('Origin, Accept-Encoding');
  });

  test('can read errors', async () => {
    const { client } = service;
    const answers = [
      await client.withKey(undefined).get('/v1/pets', from(SHOP)),
      await client.get('/v1/pets/0', from(SHOP)),
      await client.get('/v1/nowhere', from(SHOP)),
      await client.get('/v1/pets?limit=0', from(SHOP)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 404, 400]);
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe(SHOP);
  });

  test.each([
    ['/v1/pets?after=1', 431, { filler: 'x'.repeat(20_000) }],
    [`/v1/pets?after=${'1'.repeat(20_000)}`, 414, {}],
  ])('can read the error of a request that is too long: %#', async (path, status, headers) => {
    const answer = await fetch(service.url + path, { headers: { ...from(SHOP).headers, ...headers } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
  });

  test.each(['/v1/pets', '/keys/1', '/v1/nowhere'])('may send any request to %s', async (path) => {
    const { status, headers, text } = await preflight(path, SHOP, 'DELETE');
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(headers.get('access-control-allow-methods')).toBe('GET,HEAD,PUT,PATCH,POST,DELETE');
    expect(headers.get('access-control-allow-headers')).toBe(REQUESTED_HEADERS);
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(headers.get('vary')).toMatch(/^Origin, Access-Control-Request-Headers/);
  });
});

test('a page can read the error of a middleware of a team', async () => {
  const config = readConfig({
    LOG_LEVEL: 'silent',
    CORS_ORIGINS: SHOP,
    ...(await createDatabase()).environment,
  });
  const app = await createApp(rootOf(FEATURES, { config }));
  onTestFinished(() => app.close());
  app.use('/v1/pets', () => {
    throw new ServiceUnavailableException('The shop is closed.');
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const { status, headers } = await fetch(`${url}/v1/pets`, from(SHOP));
  expect([status, headers.get('access-control-allow-origin')]).toEqual([503, SHOP]);
  const asked = { origin: SHOP, 'access-control-request-method': 'POST' };
  expect((await fetch(`${url}/v1/pets`, { method: 'OPTIONS', headers: asked })).status).toBe(204);
});

describe('pages of any other origin', () => {
  test.each([OTHER, 'null', 'http://shop.example', `${SHOP}.evil.example`, `${SHOP}:8443`])(
    '(%s) get no permission',
    async (origin) => {
      for (const answer of [
        await preflight('/v1/pets', origin),
        await service.client.get('/v1/pets', from(origin)),
      ]) {
        expect(answer.headers.has('access-control-allow-origin')).toBe(false);
        expect(answer.headers.get('vary')).toContain('Origin');
      }
    },
  );
});

test('OPTIONS without a preflight gets the methods of the path', async () => {
  const { status, headers } = await service.client.send('OPTIONS', '/v1/pets', from(SHOP));
  expect(status).toBe(204);
  expect(headers.get('allow')).toBe('GET, HEAD, POST');
});

test('without a list, no response has headers of CORS', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await byDefault.client.send(method, '/v1/pets', {
      headers: { origin: SHOP, 'access-control-request-method': 'GET' },
    });
    const names = [...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'vary');
    expect(names, method).toEqual([]);
  }
});
