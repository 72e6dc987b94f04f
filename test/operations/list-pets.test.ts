import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { useService } from '../support/service.ts';

const STATUSES = ['available', 'pending', 'sold', undefined] as const;

const service = useService();
beforeAll(async () => {
  for (let i = 0; i < 25; i++) {
    await service.client.post('/v1/pets', { name: `pet ${i}`, categoryId: i, status: STATUSES[i % 4] });
  }
});

async function names(query: string): Promise<string[]> {
  const answer = await service.client.get(`/v1/pets${query}`);
  expect(answer.status).toBe(200);
  return (answer.body as { name: string }[]).map(({ name }) => name);
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `pet ${from + i}`);

test.each(['available', 'pending', 'sold'] as const)(
  'the filter %s lists the animals of that status',
  async (status) => {
    const answer = await service.client.get(`/v1/pets?status=${status}&limit=100`);
    const offset = STATUSES.indexOf(status);
    expect((answer.body as { name: string }[]).map(({ name }) => name)).toEqual(
      numbered(0, 25).filter((_name, i) => i % 4 === offset),
    );
  },
);

test('unknown parameters are ignored', async () => {
  expect(await names('?limit=2&offset=5&page=3&__proto__=1&constructor=x')).toEqual(numbered(0, 2));
});

test('concurrent lists are the same as single ones', async () => {
  const queries = ['', '&status=available', '&status=sold'].flatMap((status) =>
    ['', '&after=3', '&after=10'].flatMap((after) =>
      [1, 2, 20, 100].map((limit) => `?limit=${limit}${status}${after}`),
    ),
  );
  const list = async (query: string) => {
    const { text, headers } = await service.client.get(`/v1/pets${query}`);
    return [text, headers.get('link')];
  };
  const alone = new Map<string, unknown>();
  for (const query of queries) alone.set(query, await list(query));

  // Some of the few distinct lists run separately.
  const together = fc
    .uniqueArray(fc.constantFrom(...queries), { minLength: 1, maxLength: 5 })
    .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 2, maxLength: 30 }));
  await fc.assert(
    fc.asyncProperty(together, async (asked) => {
      expect(await Promise.all(asked.map(list))).toEqual(asked.map((query) => alone.get(query)));
    }),
  );
});

test('every account sees the same animals', async () => {
  const other = await service.clientOf('another');
  expect((await other.get('/v1/pets')).text).toBe((await service.client.get('/v1/pets')).text);
});

describe('limit', () => {
  test.each([
    ['1', 1],
    ['2', 2],
    ['100', 25],
    ['007', 7],
    ['%31', 1],
  ])('%s is taken', async (limit, count) => {
    expect(await names(`?limit=${limit}`)).toEqual(numbered(0, count));
  });

  test.each([
    ...['0', '101', '-1', '%2B1', '1.0', '1e1', '0x10', '', '%20', '%201', 'ten', '٣'],
    ...['99999999999999999999999999', '1&limit=2', '1&limit=1'],
  ])('%j is refused', async (limit) => {
    const answer = await service.client.get(`/v1/pets?limit=${limit}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('"limit must be a whole number from 1 to 100, in digits, not ');
  });
});

describe('status', () => {
  test.each(['', 'lost', 'Sold', 'sold%20', 'sold,pending', 'sold&status=sold'])(
    '%j is refused',
    async (status) => {
      const answer = await service.client.get(`/v1/pets?status=${status}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('"status must be one of available, pending, sold, not ');
    },
  );
});

test('the message names all invalid parameters', async () => {
  const answer = await service.client.get('/v1/pets?limit=0&status=lost&after=x');
  expect(answer.status).toBe(400);
  for (const name of ['limit', 'status', 'after']) expect(answer.text).toContain(`${name} must be`);
});
