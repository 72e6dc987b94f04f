import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a GET request, and returns the body without decompressing it. */
function get(path: string, headers: Record<string, string> = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    request(new URL(path, service.url), { headers }, (response) => {
      const { statusCode: status } = response;
      buffer(response).then((body) => resolve({ status, headers: response.headers, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

test.each([
  ['/', '/docs'],
  ['/docs/', '/docs'],
  ['/console/', '/console'],
])('%s leads to %s, also behind a proxy that adds a path in front', async (path, page) => {
  const { status, headers } = await get(path);
  expect(status).toBe(302);
  const { location = '' } = headers;
  expect(new URL(location, new URL(path, service.url)).pathname).toBe(page);
  expect(new URL(location, `https://pets.example/api${path}`).pathname).toBe(`/api${page}`);
});

describe.each([
  '/openapi.json',
  '/openapi.yaml',
  '/openapi-accounts.json',
  '/docs/errors',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/console/console.js',
])('%s', (path) => {
  test('is compressed for clients that accept it, with the same content', async () => {
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [encoding, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const compressed = await get(path, { 'Accept-Encoding': encoding });
      expect(compressed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
      expect(compressed.body.length).toBeLessThan(plain.body.length / 1.5);
      expect(decompress(compressed.body)).toEqual(plain.body);
    }
  });

  test('is not sent again to a client that has it cached', async () => {
    const { headers } = await get(path);
    const again = await get(path, { 'If-None-Match': headers.etag ?? '' });
    expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 });
  });
});

describe('the changelog', () => {
  test('is a page with the versioning policy', async () => {
    const { headers, body } = await get('/docs/changelog');
    const page = body.toString();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page).toContain('<title>Changelog of the interface · Pet store</title>');
    for (const id of [
      'versioning-policy',
      'what-may-change-within-v1',
      'how-long-a-deprecated-operation-stays',
    ]) {
      expect(page).toContain(`id="${id}"`);
    }
  });

  test('has an entry for the version of the document, which links to it', async () => {
    const { info } = JSON.parse((await get('/openapi.json')).body.toString()) as {
      info: { version: string; description: string };
    };
    expect((await get('/docs/changelog')).body.toString()).toContain(`>${info.version}</h2>`);
    expect(info.description).toContain(`(${service.url}/docs/changelog)`);
  });

  test('and the other pages contain only valid links', async () => {
    for (const path of ['/docs/changelog', '/docs/errors', '/docs/guide', '/docs/integers']) {
      const page = (await get(path)).body.toString();
      const links = [...page.matchAll(/href="(?!https:)([^"#]+)/g)].map(([, link = '']) => link);
      expect(links).toContain('page.css');
      for (const link of links) {
        expect((await get(new URL(link, new URL(path, service.url)).pathname)).status, link).toBe(200);
      }
    }
  });
});

test('the description fits on a screen, and links to the guide and the other pages', async () => {
  const { info } = JSON.parse((await get('/openapi.json')).body.toString()) as {
    info: { description: string };
  };
  expect(info.description.split('\n').length).toBeLessThan(40);
  for (const [page, title] of [
    ['guide', 'Guide'],
    ['errors', 'Errors'],
    ['integers', 'Large integers in JavaScript'],
    ['changelog', 'Changelog of the interface'],
  ] as const) {
    expect(info.description).toContain(`(${service.url}/docs/${page})`);
    expect((await get(`/docs/${page}`)).body.toString()).toContain(`<title>${title} · Pet store</title>`);
  }
});

test('a range of a file is not compressed', async () => {
  const part = await get('/docs/swagger-ui.css', { Range: 'bytes=0-4999', 'Accept-Encoding': 'gzip' });
  expect(part.status).toBe(206);
  expect(part.headers['content-encoding']).toBeUndefined();
  expect(part.body).toEqual((await get('/docs/swagger-ui.css')).body.subarray(0, 5000));
});

test('responses of operations are not compressed', async () => {
  const { status, headers } = await get('/v1/pets', {
    Authorization: `Bearer ${service.client.key}`,
    'Accept-Encoding': 'gzip',
  });
  expect(status).toBe(200);
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
});
