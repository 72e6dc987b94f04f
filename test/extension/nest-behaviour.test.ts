import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { sendRaw } from '../support/raw-request.ts';
import { type Shop, startShop } from './support/shop.ts';

const MAX = 9223372036854775807n;

let shop: Shop;
beforeAll(async () => {
  const database = await createDatabase();
  shop = await startShop(database, database.environment);
});
afterAll(() => shop.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  shop.client.get(`/clinic/${path}`, { headers });
const post = (path: string, json: unknown) => shop.client.post(`/clinic/${path}`, json);
const put = (path: string, json: unknown) => shop.client.send('PUT', `/clinic/${path}`, { json });

/** Sends a request that `fetch` would not allow or would follow. */
const fetchRaw = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(`${shop.url}/clinic/${path}`, {
    redirect: 'manual',
    ...init,
    headers: { authorization: `Bearer ${shop.client.key ?? ''}`, ...headers },
  });

const refused = (message: string) => ({
  status: 400,
  body: { code: 'invalid_request', message, status: 400n },
});

const OWNER = { name: 'Ann', customerId: 7 };
const VISIT = { petId: 1, reason: 'limps', weightGrams: 4000, owner: OWNER };

describe('@Body() with a DTO class', () => {
  test('is an instance with numbers, defaults and transformed fields', async () => {
    const treatments = [
      { name: 'vaccine', doses: 2, lotId: 1 },
      { name: 'worming', doses: 1, lotId: 2 },
    ];
    const visit = { ...VISIT, reason: '  limps ', notes: null, chip_number: '276-1', treatments };
    expect(await post('visits', visit)).toMatchObject({
      status: 201,
      body: {
        isNewVisit: true,
        newVisit: { reason: 'limps', weightGrams: 4000n, notes: null, chipNumber: '276-1', urgency: 'low' },
        doses: 3n,
      },
    });
    expect((await post('visits', VISIT)).body).toMatchObject({
      newVisit: { urgency: 'low', treatments: [] },
    });
  });

  test('has no fields without a decorator, also in nested objects', async () => {
    const visit = { ...VISIT, paid: true, owner: { ...OWNER, vip: true } };
    const { newVisit } = (await post('visits', visit)).body as { newVisit: object };
    expect(newVisit).not.toHaveProperty('paid');
    expect(newVisit).toHaveProperty('owner', { name: 'Ann', customerId: 7n });
  });

  test('has every @Int64Field() exactly, also in nested objects and arrays of objects', async () => {
    const visit = {
      ...VISIT,
      petId: MAX,
      insurance_id: 2n ** 60n + 1n,
      owner: { name: 'Ann', customerId: MAX - 1n },
      treatments: [
        { name: 'vaccine', doses: 1, lotId: -MAX - 1n },
        { name: 'vaccine', doses: 1, lotId: 2n ** 53n + 1n },
      ],
    };
    expect(await post('visits', visit)).toMatchObject({
      status: 201,
      body: {
        newVisit: {
          petId: MAX,
          insuranceId: 2n ** 60n + 1n,
          owner: { customerId: MAX - 1n },
          treatments: [{ lotId: -MAX - 1n }, { lotId: 2n ** 53n + 1n }],
        },
      },
    });
  });

  test.each<[string, object, string]>([
    ['a missing string', { reason: undefined }, 'reason must be a string.'],
    ['a fraction', { weightGrams: 1.5 }, 'weightGrams must be an integer number.'],
    ['a number in quotes', { weightGrams: '4000' }, 'weightGrams must be an integer number.'],
    ['null', { weightGrams: null }, 'weightGrams must be an integer number.'],
    ['a number below @Min', { weightGrams: 0 }, 'weightGrams must not be less than 1.'],
    ['a number above @Max', { weightGrams: 90_001 }, 'weightGrams must not be greater than 90000.'],
    ['an optional field of another type', { notes: 5 }, 'notes must be a string.'],
    [
      'a value that is not in the list',
      { urgency: 'none' },
      'urgency must be one of the following values: low, high.',
    ],
    ['an asynchronous rule', { chip_number: '276-9' }, 'No animal has the chip 276-9.'],
    ['a missing object', { owner: undefined }, 'owner should not be null or undefined.'],
    ['a nested field', { owner: { ...OWNER, name: 5 } }, 'owner.name must be a string.'],
    [
      'an int64 out of bounds',
      { petId: MAX + 1n },
      'petId must be an integer from -9223372036854775808 to 9223372036854775807, not 9223372036854775808.',
    ],
    [
      'a nested int64 that is a fraction',
      { owner: { ...OWNER, customerId: 0.5 } },
      'owner.customerId must be an integer from -9223372036854775808 to 9223372036854775807, not 0.5.',
    ],
    ['an object for an array', { treatments: {} }, 'treatments must be an array.'],
    [
      'an array above @ArrayMaxSize',
      { treatments: Array(4).fill({ name: 'vaccine', doses: 1, lotId: 1 }) },
      'treatments must contain no more than 3 elements.',
    ],
    [
      'a custom message',
      { treatments: [{ name: 'x', doses: 1, lotId: 1 }] },
      'treatments.0.The name of a treatment has at least 3 characters.',
    ],
  ])('refuses %s', async (_what, fields, message) => {
    expect(await post('visits', { ...VISIT, ...fields })).toMatchObject(refused(message));
  });

  test('rejects a value that is not an object, and a missing body', async () => {
    expect(await post('visits', [VISIT])).toMatchObject(
      refused('The body must be a JSON object, not an array.'),
    );
    expect((await shop.client.send('POST', '/clinic/visits')).status).toBe(400);
  });

  test('is the unchanged body if the class has no rules', async () => {
    const note = { text: 'Eats again.', stars: 5n };
    expect(await post('visits/5/notes', note)).toMatchObject({
      status: 201,
      body: { id: '5', note },
    });
  });
});

describe('other parameters of a handler', () => {
  test('@Body() without a class is any JSON value', async () => {
    for (const body of [{ a: [1n] }, [1n, 2n], 'text', 5n, true, null]) {
      expect(await post('visits/plain', body)).toMatchObject({ status: 200, body: { body } });
    }
    const answer = await shop.client.send('POST', '/clinic/visits/plain');
    expect(answer).toMatchObject({ status: 200, body: {} });
  });

  test('@Body() with ParseArrayPipe is an array of instances', async () => {
    const owners = [{ name: 'Ann', customerId: MAX }, OWNER];
    expect(await post('visits/many', owners)).toMatchObject({
      status: 201,
      body: { areOwners: true, owners: [{ customerId: MAX }, { customerId: 7n }] },
    });
    expect((await post('visits/many', [{ name: 5, customerId: 7 }])).status).toBe(400);
  });

  test('@Body(field) is one field, with a pipe or with a class', async () => {
    expect(await put('visits/5/weight', { grams: '4000' })).toMatchObject({
      status: 200,
      body: { id: 5n, grams: 4000n },
    });
    const message = 'Validation failed (numeric string is expected)';
    expect(await put('visits/5/weight', { grams: 'four' })).toMatchObject(refused(message));
    expect(await put('visits/five/weight', { grams: 4 })).toMatchObject(refused(message));
    expect(await put('visits/5/owner', { owner: { name: 'Ann', customerId: MAX } })).toMatchObject({
      status: 200,
      body: { id: '5', isOwner: true, owner: { customerId: MAX } },
    });
    expect(await put('visits/5/owner', { owner: {} })).toMatchObject({ status: 400 });
  });

  test('@Query(name) passes its pipes', async () => {
    expect((await get('visits/page')).body).toEqual({ page: 1n, all: false });
    expect((await get('visits/page?page=3&all=true&size=5')).body).toEqual({ page: 3n, all: true, size: 5n });
    expect(await get('visits/page?page=two')).toMatchObject(
      refused('Validation failed (numeric string is expected)'),
    );
    expect((await get('visits/page?page=')).status).toBe(400);
    expect(await get('visits/page?all=perhaps')).toMatchObject(
      refused('Validation failed (boolean string is expected)'),
    );
  });

  test('@Query() and @Param() with DTO classes are valid instances', async () => {
    expect((await get('visits?limit=5&urgency=high&other=1')).body).toEqual({ limit: 5n, urgency: 'high' });
    expect((await get('visits')).body).toEqual({ limit: 20n });
    expect(await get('visits?limit=0')).toMatchObject(refused('limit must not be less than 1.'));
    expect((await get('visits/7/treatments/2')).body).toEqual({ visitId: '7', index: 2n });
    expect(await get('visits/7/treatments/x')).toMatchObject(refused('index must be an integer number.'));
  });

  test('@Query() and @Param() without DTO classes contain all values', async () => {
    expect(await get('visits/search?owner=Ann&page=5')).toMatchObject({
      status: 200,
      body: { owner: 'Ann', page: '5' },
    });
    expect(await get('visits/7/owners/ann?urgency=high')).toMatchObject({
      status: 200,
      body: { params: { visitId: '7', owner: 'ann' }, query: { urgency: 'high' } },
    });
  });

  test('@Headers() and @Req() contain the request', async () => {
    const { body } = await get('visits/caller', { 'x-till': '3', accept: 'application/json' });
    expect(body).toMatchObject({
      data: { till: '3', accept: 'application/json', path: '/clinic/visits/caller' },
    });
  });

  test('pipes of an operation and of a parameter run after the global pipe', async () => {
    const visit = { petId: MAX, reason: 'limps', weightGrams: 4000, owner: { ...OWNER, customerId: MAX } };
    expect(await put('visits/5/strict', visit)).toMatchObject({
      status: 200,
      body: { id: 5n, newVisit: { petId: MAX, owner: { customerId: MAX } } },
    });
    const answer = await put('visits/five/strict', visit);
    expect(answer).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
  });
});

describe('responses', () => {
  test('@Res() leaves the response to the handler', async () => {
    expect(await get('reports/express')).toMatchObject({ status: 203, body: { id: MAX } });
  });

  test('@Res({ passthrough: true }) sets headers and status, and the result is the body', async () => {
    const answer = await get('reports/passthrough');
    expect(answer).toMatchObject({ status: 202, body: { text: 'Some' } });
    expect(answer.headers.get('x-report')).toBe('yes');
    expect(answer.headers.get('set-cookie')).toBe('seen=yes; Path=/');
  });

  test('@Header() sets the content type of a string', async () => {
    const answer = await get('reports/csv');
    expect(answer).toMatchObject({ status: 200, text: 'name,weight\nTom,4\n' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });

  test('@HttpCode() works with a handler that returns nothing', async () => {
    expect(await post('reports/empty', {})).toMatchObject({ status: 204, text: '' });
    expect(await get('reports/undefined')).toMatchObject({ status: 200, text: '' });
  });

  test('@Redirect() redirects, and the handler can choose the URL', async () => {
    const locationOf = async (path: string) => {
      const response = await fetchRaw(path);
      await response.text();
      return [response.status, response.headers.get('location')];
    };
    expect(await locationOf('reports/latest')).toEqual([301, '/clinic/reports/csv']);
    expect(await locationOf('reports/latest?year=2025')).toEqual([302, '/clinic/reports/file']);
  });

  test('a StreamableFile has its type and name', async () => {
    const answer = await get('reports/file');
    expect(answer).toMatchObject({ status: 200, text: '%PDF' });
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="report.pdf"');
  });

  test('@Sse() sends events', async () => {
    const answer = await get('reports/events');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.text.match(/event: visit\nid: \d\ndata: \{"count":\d\}/g)).toHaveLength(3);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('@All() takes %s', async (method) => {
    expect(await shop.client.send(method, '/clinic/reports/any')).toMatchObject({ body: { method } });
  });

  test('an Observable, bigints and dates are serialized', async () => {
    expect((await get('reports/observable')).body).toEqual({ count: 3n });
    expect((await get('reports/values')).text).toBe(
      '{"id":9223372036854775807,"at":"1970-01-01T00:00:00.000Z","ids":[1,-1],"total":0.5}',
    );
  });

  test('another method gets 405', async () => {
    const answer = await shop.client.send('DELETE', '/clinic/reports/csv');
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('exceptions', () => {
  test.each([
    ['busy', 409, 'conflict', 'The vet is in surgery.'],
    ['on-holiday', 409, 'vet_on_holiday', 'The vet is on holiday.'],
    ['teapot', 418, 'i_m_a_teapot', 'The vet has tea.'],
    ['unlicensed', 422, 'unprocessable_entity', 'The vet has no licence.'],
    ['wrong', 400, 'invalid_request', 'The name is too short. The day is missing.'],
    ['details', 424, 'failed_dependency', 'The vet works elsewhere.'],
    ['custom', 403, 'forbidden', 'This is a custom message'],
    ['nested', 424, 'failed_dependency', 'Failed Dependency'],
    ['number', 400, 'invalid_request', '5'],
    ['grouped', 400, 'invalid_request', 'day must be a string.'],
    ['list', 400, 'invalid_request', 'day must be a string.'],
    ['locked', 502, 'bad_gateway', 'Bad Gateway'],
    ['payment', 402, 'payment_required', 'Pay the last bill.'],
    ['calendar', 502, 'bad_gateway', 'Bad Gateway'],
    ['rejected', 409, 'conflict', 'The day is taken.'],
    ['broken', 500, 'internal_error', 'The service failed to answer this request.'],
    ['lost-pet', 404, 'not_found', 'There is no animal with the id 5.'],
    ['private', 403, 'forbidden', 'Forbidden resource'],
    ['unknown', 404, 'unknown_vet', 'Ask for a vet other than Dr. No.'],
    ['closed', 503, 'clinic_closed', 'The clinic opens at nine.'],
    ['hung-up', 500, 'internal_error', 'The service failed to answer this request.'],
    ['double-booked', 500, 'internal_error', 'The service failed to answer this request.'],
  ])('of %s become %i %s', async (path, status, code, message) => {
    const answer = await get(`vets/${path}`);
    expect(answer).toMatchObject({ status, body: { code, message, status: BigInt(status) } });
    if (code === 'clinic_closed') expect(answer.headers.get('retry-after')).toBe('3600');
  });

  test('that are not errors are logged with their text, or else without their content', async () => {
    await get('vets/double-booked');
    await get('vets/hung-up');
    await expect.poll(() => shop.stdout()).toContain('The calendar hung up.');
    expect(shop.stdout()).toContain('"err":{"type":"object"}');
    expect(shop.stdout()).not.toContain('Secret Agent');
  });
});

describe('guards, interceptors, pipes and middleware of the team', () => {
  test('a guard of an operation can read the body and the caller', async () => {
    const { body } = await get('visits/caller');
    const { accountId } = (body as { data: { accountId: bigint } }).data;
    expect(await post('visits/signed', { signedBy: accountId })).toMatchObject({
      status: 201,
      body: { accountId },
    });
    expect(await post('visits/signed', { signedBy: accountId + 1n })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });

  test('global ones run for all operations, after those of the service', async () => {
    for (const [path, handler] of [
      ['/clinic/reports/csv', 'csv'],
      ['/v1/pets', 'listPets'],
    ] as const) {
      const answer = await shop.client.get(path, { headers: { 'x-debug': '1' } });
      expect(answer.headers.get('x-handler')).toBe(handler);
    }
    expect((await post('visits', VISIT)).body).toMatchObject({ isReadOnly: true });
    const readOnly = { headers: { 'x-read-only': '1' } };
    const send = (client: Shop['client']) => client.post('/clinic/visits', VISIT, readOnly);
    expect(await send(shop.client)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await send(shop.client.withKey(undefined))).toMatchObject({ status: 401 });
  });

  test('middleware runs only for its route', async () => {
    expect((await get('visits')).headers.get('x-opening-hours')).toBe('9-17');
    expect((await get('visits/page')).headers.has('x-opening-hours')).toBe(false);
    expect((await post('visits', VISIT)).headers.has('x-opening-hours')).toBe(false);
  });
});

describe('bodies other than JSON', () => {
  const upload = async (size: number, fields: Record<string, string>) => {
    const form = new FormData();
    form.set('image', new Blob(['x'.repeat(size)], { type: 'image/png' }), 'tom.png');
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await fetchRaw('uploads/image', { method: 'POST', body: form });
    return { status: response.status, body: await response.json() };
  };

  test('FileInterceptor reads a file and other fields', async () => {
    expect(await upload(40_000, { title: 'Paw', visit: '5' })).toEqual({
      status: 201,
      body: { newImage: { title: 'Paw', visit: 5 }, file: 'tom.png', type: 'image/png', size: 40_000 },
    });
    expect(await upload(10, { title: 'Paw', visit: 'x' })).toEqual({
      status: 400,
      body: { code: 'invalid_request', message: 'visit must be an integer number.', status: 400 },
    });
    expect(await upload(60_000, { title: 'Paw', visit: '5' })).toMatchObject({ status: 400 });
    expect(await upload(200_000, { title: 'Paw', visit: '5' })).toEqual({
      status: 413,
      body: { code: 'payload_too_large', message: 'File too large', status: 413 },
    });
  });

  test('FileFieldsInterceptor reads files and fields without a DTO class', async () => {
    const form = new FormData();
    form.set('title', 'Paw');
    for (const name of ['before', 'after']) form.set(name, new Blob(['x']), `${name}.png`);
    const response = await fetchRaw('uploads/images', { method: 'POST', body: form });
    expect([response.status, await response.json()]).toEqual([
      201,
      { names: ['before.png', 'after.png'], fields: { title: 'Paw' } },
    ]);
  });

  test('a handler can read the request as a stream', async () => {
    const body = 'x'.repeat(1_000_000);
    const send = (type: string) =>
      fetchRaw('uploads/stream', { method: 'POST', body }, { 'content-type': type });
    for (const type of ['application/octet-stream', 'text/plain']) {
      expect(await (await send(type)).json()).toEqual({ length: 1_000_000 });
    }
  });

  test('a module can parse a body with middleware', async () => {
    const form = await fetchRaw('uploads/form', {
      method: 'POST',
      body: new URLSearchParams({ owner: 'Ann', other: 'x' }),
    });
    expect([form.status, await form.json()]).toEqual([201, { owner: 'Ann' }]);
    for (const type of ['application/xml', 'application/json']) {
      const send = (body: string): Promise<Answer> =>
        shop.client.send('POST', '/clinic/uploads/signed', {
          rawBody: body,
          headers: { 'content-type': type },
        });
      expect(await send('<a>')).toMatchObject({ status: 201, body: { isBuffer: true, text: '<a>' } });
      expect(await send('x'.repeat(1001))).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large', message: 'request entity too large' },
      });
    }
  });

  test('a Content-Type without a body is ignored', async () => {
    expect((await get('visits', { 'content-type': 'application/json' })).status).toBe(200);
  });
});

describe('without a valid key', () => {
  test.each([
    ['visits', 'application/json'],
    ['visits/plain', 'application/json'],
    ['uploads/image', 'multipart/form-data; boundary=x'],
    ['uploads/stream', 'application/octet-stream'],
  ])('the body of a request for %s is not waited for', async (path, type) => {
    const lines = [
      `POST /clinic/${path} HTTP/1.1`,
      'Host: a',
      `Content-Type: ${type}`,
      'Content-Length: 1000000',
    ];
    expect((await sendRaw(shop.url, [...lines, '', ''].join('\r\n'))).status).toBe(401);
  });
});
