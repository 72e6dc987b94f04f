import { beforeAll, describe, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { type Service, startServiceForTest, useService } from '../support/service.ts';

const service = useService();
const ids: Record<'available' | 'sold', bigint[]> = { available: [], sold: [] };

beforeAll(async () => {
  for (let i = 0; i < 45; i++) {
    const status = i % 3 === 0 ? 'available' : 'sold';
    const answer = await service.client.post('/v1/pets', { name: `pet ${i}`, categoryId: i, status });
    ids[status].push(idsOf(answer, [answer.body as { id: bigint }])[0] ?? 0n);
  }
  for (const petId of allIds()) await service.client.post('/v1/store/orders', { petId });
});

const allIds = () => [...ids.available, ...ids.sold].sort((a, b) => Number(a - b));

function idsOf({ body }: Answer, items = body as { id: bigint }[]): bigint[] {
  return items.map(({ id }) => id);
}

function nextOf(answer: Answer): string | undefined {
  const link = answer.headers.get('link');
  if (link === null) return undefined;
  const [, next] = /^<([^>]*)>; rel="next"$/.exec(link) ?? [];
  expect(next, link).toBeDefined();
  return next;
}

/** Returns all pages of a list by following the links. */
async function pagesFrom(path: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const page = await service.client.get(next);
    expect(page.status).toBe(200);
    pages.push(page);
    next = nextOf(page);
  }
  return pages;
}

const pageSizes = (pages: Answer[]) => pages.map((page) => (page.body as unknown[]).length);

test('following the links returns every animal once, in order', async () => {
  const pages = await pagesFrom('/v1/pets');
  expect(pageSizes(pages)).toEqual([20, 20, 5]);
  expect(pages.flatMap((page) => idsOf(page))).toEqual(allIds());
});

test('the links keep the filter and the limit', async () => {
  const pages = await pagesFrom('/v1/pets?status=available&limit=4');
  expect(pageSizes(pages)).toEqual([4, 4, 4, 3]);
  expect(pages.flatMap((page) => idsOf(page))).toEqual(ids.available);
});

describe('the address of a link', () => {
  const [tom, kitty] = ['Tom', 'Kitty'].map((name) => ({ name, categoryId: 1 }));
  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example' };

  async function linkOf({ client }: Service, headers: Record<string, string>): Promise<string | null> {
    return (await client.get('/v1/pets?limit=1', { headers })).headers.get('link');
  }

  test('comes from PUBLIC_URL, as the path in Location does', async () => {
    const own = await startServiceForTest({ PUBLIC_URL: 'https://petstore.example/shop/v1' });
    await own.client.post('/v1/pets', tom);
    const { headers } = await own.client.post('/v1/pets', kitty);
    expect(headers.get('location')).toBe('/shop/v1/pets/2');
    const link = '<https://petstore.example/shop/v1/pets?limit=1&after=1>; rel="next"';
    expect(await linkOf(own, forwarded)).toBe(link);
  });

  describe('with TRUST_PROXY', () => {
    const proxied = useService({ TRUST_PROXY: 'loopback' });
    beforeAll(async () => {
      for (const pet of [tom, kitty]) await proxied.client.post('/v1/pets', pet);
    });

    test.each(['https', 'HTTPS'])('comes from X-Forwarded-*, with the protocol %s', async (protocol) => {
      const link = '<https://shop.example/v1/pets?limit=1&after=1>; rel="next"';
      expect(await linkOf(proxied, { ...forwarded, 'X-Forwarded-Proto': protocol })).toBe(link);
    });

    test.each([
      ['X-Forwarded-Proto', 'javascript'],
      ['X-Forwarded-Proto', 'HTTPS://evil.example'],
      ['X-Forwarded-Host', 'evil.example/path'],
      ['X-Forwarded-Host', 'user@evil.example'],
      ['X-Forwarded-Host', '">; rel="next'],
      ['X-Forwarded-Host', ''],
    ])('ignores %s: %s', async (name, value) => {
      const link = `<${proxied.url}/v1/pets?limit=1&after=1>; rel="next"`;
      expect(await linkOf(proxied, { [name]: value })).toBe(link);
    });
  });
});

test('a link states the limit of a request without one', async () => {
  const { headers } = await service.client.get('/v1/pets');
  const next = `${service.url}/v1/pets?limit=20&after=${allIds()[19] ?? 'none'}`;
  expect(headers.get('link')).toBe(`<${next}>; rel="next"`);
});

test('a link has only the parameters of the operation', async () => {
  const unknown = `q=${'%20'.repeat(2000)}&limit[]=5&__proto__=x`;
  const answer = await service.client.get(`/v1/pets?${unknown}&limit=3&status=sold`);
  const next = `${service.url}/v1/pets?limit=3&after=${ids.sold[2] ?? 'none'}&status=sold`;
  expect(answer.headers.get('link')).toBe(`<${next}>; rel="next"`);
});

test('a target that is a whole URL is served like its path', async () => {
  const { status, headers } = await sendRaw(
    service.url,
    [
      `GET http://shop.example:81/v1/pets?limit=1 HTTP/1.1`,
      'Host: shop.example:81',
      `Authorization: Bearer ${service.client.key ?? ''}`,
      '',
      '',
    ].join('\r\n'),
  );
  const next = `http://shop.example:81/v1/pets?limit=1&after=${ids.available[0]}`;
  expect([status, headers.get('link')]).toEqual([200, `<${next}>; rel="next"`]);
});

test('a full last page has no link', async () => {
  const pages = await pagesFrom('/v1/pets?limit=15');
  expect(pageSizes(pages)).toEqual([15, 15, 15]);
});

test('an empty page has no link', async () => {
  const answer = await service.client.get('/v1/pets?status=pending');
  expect(answer.body).toEqual([]);
  expect(answer.headers.has('link')).toBe(false);
});

test('an animal that is added meanwhile appears on a later page, and none appears twice', async () => {
  const first = await service.client.get('/v1/pets?limit=44');
  const added = await service.client.post('/v1/pets', { name: 'late', categoryId: 1, status: 'sold' });
  const { id } = added.body as { id: bigint };
  ids.sold.push(id);
  const second = await service.client.get(nextOf(first) ?? '');
  expect([...idsOf(first), ...idsOf(second)]).toEqual(allIds());
});

test('orders have the same pagination', async () => {
  const pages = await pagesFrom('/v1/store/orders?limit=20');
  expect(pageSizes(pages)).toEqual([20, 20, 5]);
  const orders = pages.flatMap((page) => idsOf(page));
  expect(orders).toEqual(orders.toSorted((a, b) => Number(a - b)));
  expect(new Set(orders).size).toBe(45);
});

describe('after', () => {
  test.each(['0', '00', '9223372036854775807'])('%s is accepted', async (after) => {
    expect((await service.client.get(`/v1/pets?after=${after}`)).status).toBe(200);
  });

  test.each(['', '9223372036854775808', '1&after=2'])('%j is refused', async (after) => {
    for (const path of ['/v1/pets', '/v1/store/orders']) {
      const answer = await service.client.get(`${path}?after=${after}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(
        '"after must be a whole number from 0 to 9223372036854775807, in digits, not ',
      );
    }
  });

  test('lists items with larger ids, even if no animal has the id', async () => {
    const last = allIds().at(-1) ?? 0n;
    expect(idsOf(await service.client.get(`/v1/pets?after=${last - 1n}`))).toEqual([last]);
    expect(idsOf(await service.client.get(`/v1/pets?after=${last + 1000n}`))).toEqual([]);
    expect(idsOf(await service.client.get('/v1/pets?after=9223372036854775807'))).toEqual([]);
  });
});
