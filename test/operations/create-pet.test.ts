import fc from 'fast-check';
import { expect, test } from 'vitest';

import { int64, text } from '../support/arbitraries.ts';
import type { Answer } from '../support/client.ts';
import { useService } from '../support/service.ts';

const service = useService();

/** Adds an animal with a raw JSON body. */
function create(rawBody: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return service.client.send('POST', '/v1/pets', { rawBody, headers });
}

function idOf(answer: Answer): bigint {
  return (answer.body as { id: bigint }).id;
}

test('the response to a new animal is 201 with its id and its Location', async () => {
  const answer = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2, status: 'pending' });
  expect(answer.status).toBe(201);
  const id = idOf(answer);
  expect(answer.body).toEqual({ id, name: 'Kitty', categoryId: 2n, status: 'pending' });
  expect(answer.headers.get('location')).toBe(`/v1/pets/${id}`);
  const found = await service.client.get(answer.headers.get('location') ?? '');
  expect(found.text).toBe(answer.text);
});

test('later animals have larger ids', async () => {
  const first = idOf(await service.client.post('/v1/pets', { name: 'first', categoryId: 1 }));
  const second = idOf(await service.client.post('/v1/pets', { name: 'second', categoryId: 1 }));
  expect(second).toBeGreaterThan(first);
});

test('300 concurrent creates get different ids, and each animal is stored under the id in its response', async () => {
  const names = Array.from({ length: 300 }, (_, number) => `at once ${number}`);
  const answers = await Promise.all(
    names.map(async (name, number) => {
      const answer = await service.client.post('/v1/pets', { name, categoryId: number });
      return { name, answer };
    }),
  );
  // A slow machine may shed some of them.
  const created = answers.filter(({ answer }) => answer.status !== 503);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map(({ answer }) => idOf(answer))).size).toBe(created.length);
  for (const { name, answer } of created) {
    expect(answer).toMatchObject({ status: 201, body: { name } });
    expect((await service.client.get(`/v1/pets/${idOf(answer)}`)).text).toBe(answer.text);
  }
});

test('an omitted status stays absent: there is no default', async () => {
  const answer = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 2 });
  expect(answer.body).not.toHaveProperty('status');
  expect((await service.client.get(`/v1/pets/${idOf(answer)}`)).body).not.toHaveProperty('status');
  expect(await service.client.get(`/v1/pets?after=${idOf(answer) - 1n}`)).toMatchObject({
    body: [{ id: idOf(answer), name: 'Kitty', categoryId: 2n }],
  });
});

// generated-requests.test.ts sends invalid values of each field.
test('the message names all invalid fields', async () => {
  const answer = await service.client.post('/v1/pets', { status: 'lost' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect((answer.body as { message: string }).message).toBe(
    'name is required. categoryId is required. status must be one of available, pending, sold, not "lost".',
  );
});

test('any text is returned unchanged as a name, by all operations', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (name) => {
      const created = await service.client.post('/v1/pets', { name, categoryId: 1 });
      expect(created).toMatchObject({ status: 201, body: { name } });
      const id = idOf(created);
      expect((await service.client.get(`/v1/pets/${id}`)).text).toBe(created.text);
      expect((await service.client.get(`/v1/pets?limit=1&after=${id - 1n}`)).text).toBe(`[${created.text}]`);
    }),
  );
});

test('any int64 is returned exactly as a categoryId, by all operations', async () => {
  await fc.assert(
    fc.asyncProperty(int64, async (categoryId) => {
      const created = await service.client.post('/v1/pets', { name: 'a', categoryId });
      expect(created.status).toBe(201);
      expect(created.text).toMatch(new RegExp(`"categoryId":${categoryId}[,}]`));
      const id = idOf(created);
      expect((await service.client.get(`/v1/pets/${id}`)).text).toBe(created.text);
      expect((await service.client.get(`/v1/pets?limit=1&after=${id - 1n}`)).text).toBe(`[${created.text}]`);
    }),
  );
});

test.each([
  ['1.0', '1'],
  ['1e3', '1000'],
  ['1000e-3', '1'],
  ['-0', '0'],
  ['0e999999999999', '0'],
  ['9223372036854775807', '9223372036854775807'],
  ['9223372036854775807.000e0', '9223372036854775807'],
  ['9.223372036854775807e18', '9223372036854775807'],
  ['92233720368547758070e-1', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9007199254740993', '9007199254740993'],
])('the number %s is the integer %s', async (spelling, categoryId) => {
  const answer = await create(`{"name": "a", "categoryId": ${spelling}}`);
  expect(answer.status).toBe(201);
  expect(answer.text).toContain(`"categoryId":${categoryId}}`);
});

test.each([
  ...['9223372036854775808', '-9223372036854775809', '9223372036854775807.5', '9223372036854775808.0'],
  ...['1e19', '1e400', '-1e400', '1e-1', '1e-400', '0.1'],
])('the number %s is no int64', async (spelling) => {
  const answer = await create(`{"name": "a", "categoryId": ${spelling}}`);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('"categoryId must be ');
});

test.each([
  ['9007199254740993.5', 'a fraction'],
  ['11111111111111111111', '11111111111111111111'],
  [`-${'1'.repeat(309)}`, `-${'1'.repeat(39)}…`],
  ['1'.repeat(400), 'a number that is too large'],
  ['-1e400', 'a number that is too large'],
])('the number %s is called %s', async (spelling, called) => {
  const { text } = await create(`{"name": "a", "categoryId": ${spelling}}`);
  expect(text).toContain(`, not ${called}.`);
});

test.each([
  ['a 1 with 200,000 zeros and a 1', `1${'0'.repeat(200_000)}1`],
  ['200,000 zeros after the decimal point, and a 1', `0.${'0'.repeat(200_000)}1`],
  ['an exponent of 200,000 digits', `1e${'9'.repeat(200_000)}`],
])('%s is refused without holding up the service', async (_what, number) => {
  expect((await create(`{"name": "a", "categoryId": ${number}}`)).status).toBe(400);
});
