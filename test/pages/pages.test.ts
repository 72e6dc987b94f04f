import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { describe, expect, onTestFinished, test } from 'vitest';

import { startServiceForTest, useService } from '../support/service.ts';

const PAGES = ['/docs', '/docs/guide', '/docs/errors', '/docs/integers', '/docs/changelog', '/console'];
const MENU = ['Explorer', 'Guide', 'Errors', 'Large integers', 'Changelog', 'Console'];
/** A page, a text for each host, and files. The same code sends all others. */
const CONTENTS = ['/docs/guide', '/openapi.yaml', '/docs/swagger-ui.css', '/docs/console.js'];

const service = useService();

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request, and returns the body without decompressing it. */
function get(path: string, headers = {}, method = 'GET', url = service.url): Promise<Received> {
  return new Promise((resolve, reject) => {
    request(url, { path, headers, method }, (response) => {
      const { statusCode: status } = response;
      buffer(response).then((body) => resolve({ status, headers: response.headers, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

const textOf = async (path: string) => (await get(path)).body.toString();

test.each([['/', '/docs'], ...PAGES.map((page) => [`${page}/`, page])])(
  '%s leads to %s, also behind a proxy that adds a path in front',
  async (path = '', page = '') => {
    const { status, headers } = await get(path);
    expect(status).toBe(302);
    const { location = '' } = headers;
    expect(new URL(location, new URL(path, service.url)).pathname).toBe(page);
    expect(new URL(location, `https://pets.example/api${path}`).pathname).toBe(`/api${page}`);
  },
);

describe.each(CONTENTS)('%s', (path) => {
  test.each(['gzip', 'gzip, deflate, br, zstd', 'identity;q=0.5, gzip', 'gzip;q=0.5, identity;q=0', '*'])(
    'is compressed for clients that prefer it: %s, with the same content',
    async (accepted) => {
      const { headers, body } = await get(path);
      expect(headers).toMatchObject({
        ...{ vary: 'Accept-Encoding', connection: 'keep-alive' },
        'content-length': String(body.length),
      });
      const compressed = await get(path, { 'Accept-Encoding': accepted });
      expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(compressed.body.length).toBeLessThan(body.length);
      expect(gunzipSync(compressed.body)).toEqual(body);
      const head = await get(path, { 'Accept-Encoding': accepted }, 'HEAD');
      expect(head.headers['content-length']).toBe(String(compressed.body.length));
    },
  );

  test.each(['br', 'gzip;q=0', 'identity, gzip;q=0.5', 'gzip;q=0.001, identity;q=0.002'])(
    'is not compressed for other clients: %s',
    async (accepted) => {
      const { headers } = await get(path, { 'Accept-Encoding': accepted }, 'HEAD');
      expect(headers).toMatchObject({ vary: 'Accept-Encoding' });
      expect(headers).not.toHaveProperty('content-encoding');
    },
  );

  test('is not sent again to a client that has it cached', async () => {
    const { headers } = await get(path);
    for (const condition of [headers.etag ?? '', `"other", ${headers.etag}`, '*']) {
      // Each conditional fetch sends the second header.
      const again = await get(path, { 'If-None-Match': condition, 'Cache-Control': 'no-cache' });
      expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 });
    }
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('gets 404 for other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      expect((await get(path, {}, method)).status, method).toBe(404);
    }
  });
});

test('files and pages are compressed once, however often they are requested, also for the first visitor', async () => {
  const { url } = await startServiceForTest({});
  let compressions = 0;
  const hook = createHook({ init: (_id, type) => (compressions += Number(type === 'ZLIB')) }).enable();
  onTestFinished(() => void hook.disable());
  for (const path of ['/docs/copy.js', '/docs/swagger-ui.css', '/docs/guide', '/openapi.yaml']) {
    const send = () => get(path, { 'Accept-Encoding': 'gzip' }, 'GET', url);
    for (const { headers } of await Promise.all(Array.from({ length: 20 }, send))) {
      expect(headers['content-encoding']).toBe('gzip');
    }
  }
  expect(compressions).toBe(4);
});

test('the operations can be read after at most 60 KB', async () => {
  const blocking = ['simple.min.css', 'style.css', 'swagger-ui.css', 'explorer.css'].map(
    (file) => `/docs/${file}`,
  );
  const answers = await Promise.all(
    ['/docs', ...blocking].map((path) => get(path, { 'Accept-Encoding': 'gzip' })),
  );
  expect(answers.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(60_000);
  expect(await textOf('/docs')).toContain('<li><code>POST /pets</code> Add an animal</li>');
});

test('a page is compressed for at most two requests at a time, and sent as it is to the others', async () => {
  const headersOf = (i: number) => ({ 'Accept-Encoding': 'gzip', Host: `host-${i}.example` });
  const getAll = (path: string) => Promise.all(Array.from({ length: 30 }, (_, i) => get(path, headersOf(i))));
  await getAll('/health/live');
  // Requests on connections that are open arrive together.
  const answers = await getAll('/docs/guide');
  for (const [i, { headers, body }] of answers.entries()) {
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    expect(text.toString()).toContain(`http://host-${i}.example/v1/pets`);
  }
  expect(answers.filter(({ headers }) => headers['content-encoding'] === undefined)).not.toEqual([]);
});

test.each([
  ...[
    '/docs/swagger-ui-bundle.js.map',
    '/docs/index.html',
    '/docs/package.json',
    '/docs/explorer',
    '/docs/guide.md',
  ],
  ...[
    '/docs/..',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/console/console.html',
    '/CHANGELOG.md',
  ],
])('%s is not served', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a browser gets a page for an unknown address, with a way back, also behind a proxy that adds a path in front', async () => {
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  for (const path of ['/nothing', '/nothing/here/', '/docs/nothing', '/docs/guide.md']) {
    const { status, headers, body } = await get(path, browser);
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 404,
      type: 'text/html; charset=utf-8',
    });
    expect(headers).toMatchObject({
      vary: 'Accept',
      'content-security-policy': expect.any(String) as string,
    });
    const links = [...body.toString().matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    const paths = links.map((href) => new URL(href, `https://pets.example/api${path}`).pathname);
    expect(paths).toEqual(expect.arrayContaining(['/api/docs', '/api/console', '/api/docs/style.css']));
  }
  for (const [path, headers, method] of [
    ...[['/v1/nothing', browser, 'GET'] as const, ['/v1', browser, 'GET'] as const],
    ...[['/nothing', {}, 'GET'] as const, ['/nothing', { Accept: '*/*' }, 'GET'] as const],
    ['/nothing', browser, 'POST'] as const,
  ]) {
    const { status, body } = await get(path, headers, method);
    expect([status, JSON.parse(body.toString())]).toMatchObject([404, { code: 'not_found' }]);
  }
});

test('samples have no host if that of the request has characters that act in a shell', async () => {
  for (const host of ["a'$(x)'", 'a;b', 'a&b', 'a*']) {
    const { body } = await get('/openapi.json', { Host: host });
    expect(body.toString()).toContain("curl -H 'Authorization: Bearer <API_KEY>' /v1/pets");
  }
});

test.each(PAGES)('%s has the same menu as all pages, with the current page marked', async (path) => {
  const html = await textOf(path);
  const [, menu = ''] = /<nav aria-label="Pages">(.*?)<\/nav>/s.exec(html) ?? [];
  const links = [...menu.matchAll(/<a href="([^"]+)"( aria-current="page")?>([^<]+)<\/a>/g)];
  expect(links.map(([, , , name]) => name)).toEqual(MENU);
  const hrefs = links.map(([, href = '']) => new URL(href, `https://pets.example/api${path}`).pathname);
  expect(hrefs).toEqual(PAGES.map((page) => `/api${page}`));
  const name = MENU[PAGES.indexOf(path)];
  expect(links.filter(([, , current]) => current).map(([, , , marked]) => marked)).toEqual([name]);
  expect(html).toContain(`<title>${name} · Pet store</title>`);
});

test.each(PAGES.slice(1, 5))('%s lists its sections, each once, and all its links work', async (path) => {
  const html = await textOf(path);
  const sections = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
  expect(sections.filter((id) => id?.endsWith('-1'))).toEqual([]);
  const [, listed = ''] = /<nav aria-label="Sections">(.*?)<\/nav>/s.exec(html) ?? [];
  expect([...listed.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual(sections);
  for (const [, href = ''] of html.matchAll(/href="(?!https:)([^"]+)"/g)) {
    const { pathname, hash } = new URL(href, service.url + path);
    const target = await get(pathname);
    expect(target.status, href).toBe(200);
    if (hash) expect(target.body.toString(), href).toContain(`id="${hash.slice(1)}"`);
  }
});

test('the page about errors describes each error code', async () => {
  const { components } = JSON.parse(await textOf('/openapi.json')) as {
    components: { schemas: { Error: { properties: { code: { 'x-extensible-enum': string[] } } } } };
  };
  const page = readFileSync('docs/errors.md', 'utf8');
  for (const code of components.schemas.Error.properties.code['x-extensible-enum']) {
    const [, section = ''] = new RegExp(`\n## ${code}\n(.*?)(?=\n## |$)`, 's').exec(page) ?? [];
    const [, status] = /^\nStatus (\d+)\. /.exec(section) ?? [];
    expect(section, code).toContain('**What to do:** ');
    const [, example = '{}'] = /```json\n(.*?)```/s.exec(section) ?? [];
    expect(JSON.parse(example)).toEqual({
      ...{ code, message: expect.any(String) as string, status: Number(status) },
    });
  }
});

test('the changelog has an entry for the version of the document', async () => {
  const { info } = JSON.parse(await textOf('/openapi.json')) as { info: { version: string } };
  expect(await textOf('/docs/changelog')).toContain(`id="${info.version.replaceAll('.', '')}"`);
});

test('there is an icon', async () => {
  expect((await get('/favicon.ico')).headers['content-type']).toBe('image/svg+xml');
});
