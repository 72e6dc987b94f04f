import { randomUUID } from 'node:crypto';

import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Answer, Client, RequestOptions } from '../support/client.ts';
import { onPostgres } from '../support/database.ts';
import { keyed, whileKeyIsInUse } from '../support/idempotency.ts';
import { PublishedDocument } from '../support/published-document.ts';
import { useService } from '../support/service.ts';

/** How to provoke what the documents list for an operation. */
interface Operation {
  /** The table that the operation needs. */
  table: string;
  /** Whether the operation requires no key. */
  isPublic?: boolean;
  send: (client: Client) => Promise<Answer>;
  /** The statuses that only this operation has, each with a request that provokes it. */
  provoke: Record<string, (client: Client) => Promise<Answer>>;
}

const ENCODED = { headers: { 'content-encoding': 'gzip' } };
const TOO_LARGE = { filler: 'x'.repeat(1024 * 1024) };

const createPet = (
  client: Client,
  body: object = { name: 'Kitty', categoryId: 2 },
  options?: RequestOptions,
) => client.post('/v1/pets', body, options);
const newPetId = async (client: Client) => ((await createPet(client)).body as { id: bigint }).id;
const placeOrder = (client: Client, body: object = { petId: 1 }, options?: RequestOptions) =>
  client.post('/v1/store/orders', body, options);
const createMessage = (client: Client, body: object = { message: 'Hello' }, options?: RequestOptions) =>
  client.post('/v1/messages', body, options);
const createKey = (client: Client, body: object = { label: 'laptop' }, options?: RequestOptions) =>
  client.post('/keys', body, options);
const revoke = (client: Client, id: bigint) => client.send('DELETE', `/keys/${id}`);

/** The statuses of an operation that takes a body and an Idempotency-Key. */
const idempotent = (
  send: (client: Client, body?: object, options?: RequestOptions) => Promise<Answer>,
  body: (client: Client) => object | Promise<object>,
  otherBody: object,
): Operation['provoke'] => ({
  409: () => {
    const key = randomUUID();
    return whileKeyIsInUse(service, key, (client) => send(client, undefined, keyed(key)));
  },
  413: (client) => send(client, TOO_LARGE),
  415: (client) => send(client, {}, ENCODED),
  422: async (client) => {
    const key = randomUUID();
    await send(client, await body(client), keyed(key));
    return send(client, otherBody, keyed(key));
  },
});

const OPERATIONS: Record<string, Operation> = {
  listPets: {
    table: 'pet',
    send: (client) => client.get('/v1/pets'),
    provoke: { 200: (client) => client.get('/v1/pets'), 400: (client) => client.get('/v1/pets?limit=0') },
  },
  createPet: {
    table: 'pet',
    send: createPet,
    provoke: {
      201: (client) => createPet(client),
      400: (client) => createPet(client, { categoryId: 2 }),
      ...idempotent(createPet, () => ({ name: 'a', categoryId: 1 }), { name: 'b', categoryId: 1 }),
    },
  },
  getPet: {
    table: 'pet',
    send: (client) => client.get('/v1/pets/1'),
    provoke: {
      200: async (client) => client.get(`/v1/pets/${await newPetId(client)}`),
      404: (client) => client.get('/v1/pets/0'),
    },
  },
  listOrders: {
    table: 'store_order',
    send: (client) => client.get('/v1/store/orders'),
    provoke: {
      200: (client) => client.get('/v1/store/orders'),
      400: (client) => client.get('/v1/store/orders?limit=0'),
    },
  },
  placeOrder: {
    table: 'store_order',
    send: placeOrder,
    provoke: {
      201: async (client) => placeOrder(client, { petId: await newPetId(client) }),
      400: (client) => placeOrder(client, {}),
      404: (client) => placeOrder(client, { petId: 0 }),
      ...idempotent(placeOrder, async (client) => ({ petId: await newPetId(client) }), { petId: 0 }),
    },
  },
  createMessage: {
    table: 'message',
    send: createMessage,
    provoke: {
      202: (client) => createMessage(client),
      400: (client) => createMessage(client, {}),
      ...idempotent(createMessage, () => ({ message: 'a' }), { message: 'b' }),
    },
  },
  createAccount: {
    table: 'account',
    isPublic: true,
    send: (client) => client.post('/accounts', { name: 'Kitty Corner' }),
    provoke: {
      201: (client) => client.post('/accounts', { name: 'Kitty Corner' }),
      400: (client) => client.post('/accounts', {}),
      403: () => closed.client.post('/accounts', {}),
      413: (client) => client.post('/accounts', TOO_LARGE),
      415: (client) => client.post('/accounts', {}, ENCODED),
    },
  },
  getAccount: {
    table: 'account',
    send: (client) => client.get('/account'),
    provoke: { 200: (client) => client.get('/account') },
  },
  listKeys: {
    table: 'api_key',
    send: (client) => client.get('/keys'),
    provoke: { 200: (client) => client.get('/keys') },
  },
  createKey: {
    table: 'api_key',
    send: createKey,
    provoke: {
      201: (client) => createKey(client),
      400: (client) => createKey(client, {}),
      409: async () => {
        const client = await service.clientOf('collector');
        for (let count = 1; count < 100; count++) await createKey(client);
        return createKey(client);
      },
      413: (client) => createKey(client, TOO_LARGE),
      415: (client) => createKey(client, {}, ENCODED),
    },
  },
  revokeKey: {
    table: 'api_key',
    send: (client) => revoke(client, 0n),
    provoke: {
      204: async (client) => revoke(client, ((await createKey(client)).body as { id: bigint }).id),
      404: (client) => revoke(client, 0n),
    },
  },
};

/** The statuses that every operation documents. */
const COMMON = ['429', '503'];

const service = useService();
/** A service whose database is unavailable. */
const stranded = useService({});
/** A service on which only the operator creates accounts. */
const closed = useService({ SIGNUP: 'closed', SUPPORT_CONTACT: 'support@example.com' });
/** A service that allows each key one request a minute. */
const limited = useService({ RATE_LIMIT_PER_MINUTE: '1', SIGNUP_LIMIT_PER_HOUR: '1' });
let document: PublishedDocument;
beforeAll(async () => {
  document = await PublishedDocument.of(service.url);
  await stranded.app.get(DataSource).destroy();
});

test('each documented status of an operation is provoked here', () => {
  const listed = document.operations.map(({ operationId, responses }) => [
    operationId,
    Object.keys(responses).sort(),
  ]);
  const provoked = Object.entries(OPERATIONS).map(([operationId, { provoke, isPublic = false }]) => [
    operationId,
    [...Object.keys(provoke), ...COMMON, ...(isPublic ? [] : ['401'])].sort(),
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(provoked));
});

/** Compares a response with its examples in the document, except for the numbers in the message. */
function expectExample(id: string, answer: Answer | undefined): void {
  const operation = document.operations.find(({ operationId }) => operationId === id);
  const { examples = {} } = operation?.responses[answer?.status ?? 0]?.content?.['application/json'] ?? {};
  const withoutNumbers = (text: string) => text.replaceAll(/\d+/g, '0');
  const texts = Object.values(examples).map(({ value }) => withoutNumbers(JSON.stringify(value)));
  expect(texts).toEqual(expect.arrayContaining([withoutNumbers(answer?.text ?? '')]));
}

test('the example of a response matches the example of its request', () => {
  for (const { operationId, parameters, requestBody, responses } of document.operations) {
    const sent = requestBody?.content['application/json']?.example ?? {};
    const [success = ''] = Object.keys(responses);
    const received = responses[success]?.content?.['application/json']?.example ?? {};
    const ids = parameters.flatMap(({ name, example }) => (name.endsWith('Id') ? [example] : []));
    for (const id of ids) expect({ id, ...received }, operationId).toHaveProperty('id', id);
    if (operationId !== 'createAccount') expect(received, operationId).toMatchObject(sent);
  }
});

test('the example of a new key has no time of last use', () => {
  const createKey = document.operations.find(({ operationId }) => operationId === 'createKey');
  expect(createKey?.responses['201']?.content?.['application/json']?.example).toMatchObject({
    lastUsedAt: null,
  });
});

test('if only the operator creates accounts, the document contains the contact', async () => {
  const { text } = await closed.client.get('/openapi.json');
  expect(text).toContain('Ask support@example.com for a key.');
});

describe.each(Object.entries(OPERATIONS))('%s', (operationId, { send, provoke, isPublic }) => {
  // On the embedded database, a repetition waits for the request in progress.
  const isUnreachable = (status: string) => status === '409' && '422' in provoke && !onPostgres();
  test.each(Object.keys(provoke).filter((status) => !isUnreachable(status)))('answers %s', async (status) => {
    const answer = await provoke[status]?.(service.client);
    expect(answer?.status).toBe(Number(status));
    if (Number(status) >= 400) expectExample(operationId, answer);
  });

  test.skipIf(isPublic)('answers 401 without a valid key', async () => {
    const answer = await send(service.client.withKey(`ps_${'0'.repeat(33)}`));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expectExample(operationId, answer);
    expect((await send(service.client.withKey(undefined))).status).toBe(401);
  });

  test('answers 429 with Retry-After beyond the limit', async () => {
    const client = await limited.clientOf(operationId);
    expect((await send(client)).status).not.toBe(429);
    const answer = await send(client);
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d{0,3}$/);
    expectExample(operationId, answer);
  });

  test('answers 503 with Retry-After when the database is unavailable', async () => {
    const answer = await send(stranded.client);
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expectExample(operationId, answer);
  });
});

test('an internal error is 500, without details', async () => {
  const database = service.app.get(DataSource);
  // The service has not cached its key yet, so the first request also reads the account.
  const client = await service.clientOf('new');
  await database.query(`ALTER TABLE pet RENAME TO elsewhere`);
  try {
    const answer = await client.get('/v1/pets');
    expect(answer.status).toBe(500);
    expect(answer.text).toBe(
      '{"code":"internal_error","message":"The service failed to answer this request.","status":500}',
    );
  } finally {
    await database.query(`ALTER TABLE elsewhere RENAME TO pet`);
  }
});
