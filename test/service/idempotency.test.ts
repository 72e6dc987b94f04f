import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

import pg from 'pg';
import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, test } from 'vitest';

import { ExpiredRows } from '#src/database/expired-rows';
import { IdempotencyMismatch } from '#src/idempotency/idempotency.errors';
import { IdempotencyService } from '#src/idempotency/idempotency.service';

import type { Answer, Client } from '../support/client.ts';
import { onPostgres } from '../support/database.ts';
import { keyed, whileKeyIsInUse } from '../support/idempotency.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startServiceForTest, useService } from '../support/service.ts';

const PET = { name: 'Kitty', categoryId: 2 };

const service = useService();
let petId: bigint;
beforeAll(async () => {
  petId = idOf(await service.client.post('/v1/pets', PET));
});

const idOf = ({ body }: Answer) => (body as { id: bigint }).id;
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed');

function addPet(key: string, body: object = PET, client: Client = service.client): Promise<Answer> {
  return client.post('/v1/pets', body, keyed(key));
}

async function count(sql: string): Promise<number> {
  const [row] = await service.app
    .get(DataSource)
    .query<[{ count: bigint }]>(`SELECT count(*) AS count FROM ${sql}`);
  return Number(row.count);
}

/** Counts the animals with a name that only one test uses. */
const petsNamed = (name: string) => count(`pet WHERE name = '${name}'`);

const OPERATIONS = [
  { path: '/v1/pets', body: () => ({ name: 'Kitty', categoryId: 2n ** 63n - 1n }), table: 'pet' },
  { path: '/v1/messages', body: () => ({ message: 'Hello "there" \ud83d\udc31' }), table: 'message' },
  { path: '/v1/store/orders', body: () => ({ petId }), table: 'store_order' },
];

// documented-statuses.test.ts provokes 409 and 422 of each operation.
describe.each(OPERATIONS)('POST $path', ({ path, body, table }) => {
  const post = (key: string, json: object = body()) => service.client.post(path, json, keyed(key));

  test('returns the response of the first request, byte for byte, and has no further effect', async () => {
    const key = randomUUID();
    const first = await post(key);
    const before = await count(table);
    expect(isReplay(first)).toBe(null);
    for (let i = 0; i < 3; i++) {
      const again = await post(key);
      expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(again.headers.get('content-length')).toBe(first.headers.get('content-length'));
      expect(isReplay(again)).toBe('true');
    }
    expect(await count(table)).toBe(before);
  });

  test('without a key has an effect each time, and stores no outcome', async () => {
    const [before, remembered] = [await count(table), await count('idempotency_key')];
    for (let i = 0; i < 2; i++) expect(isReplay(await service.client.post(path, body()))).toBe(null);
    expect(await count(table)).toBe(before + 2);
    expect(await count('idempotency_key')).toBe(remembered);
  });

  test('stores no outcome of a failure, and leaves no lock and no partial effect', async () => {
    const key = randomUUID();
    const before = await count(table);
    const database = service.app.get(DataSource);
    await database.query(
      'ALTER TABLE idempotency_key ADD CONSTRAINT idempotency_key_outcome_check CHECK (octet_length(outcome) < 0) NOT VALID',
    );
    expect((await post(key)).status).toBe(500);
    await database.query('ALTER TABLE idempotency_key DROP CONSTRAINT idempotency_key_outcome_check');
    expect(await count(table)).toBe(before);
    expect(isReplay(await post(key))).toBe(null);
    expect(await count(table)).toBe(before + 1);
  });
});

test('bodies with the same fields are equal, in any order and with unknown ones', async () => {
  const key = randomUUID();
  const first = await addPet(key);
  const again = await addPet(key, { unknown: 1, categoryId: 2, name: 'Kitty' });
  expect({ text: again.text, replayed: isReplay(again) }).toEqual({ text: first.text, replayed: 'true' });
});

test('another body with the key is refused, without an effect', async () => {
  const key = randomUUID();
  const first = await addPet(key, { ...PET, status: 'sold' });
  const before = await count('pet');
  for (const body of [PET, { ...PET, status: 'pending' }, { ...PET, status: 'sold', name: 'Kitty ' }]) {
    expect(await addPet(key, body)).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  }
  expect(await count('pet')).toBe(before);
  expect((await addPet(key, { ...PET, status: 'sold' })).text).toBe(first.text);
});

test('another operation or query with the key is refused', async () => {
  // A body that all operations accept.
  const json = { ...PET, message: 'Hello', petId };
  for (const target of ['/v1/messages', '/v1/store/orders', '/v1/pets?dryRun=true']) {
    const key = randomUUID();
    expect((await service.client.post(target, json, keyed(key))).status).toBeLessThan(300);
    expect((await addPet(key, json)).status).toBe(422);
    expect(isReplay(await service.client.post(target, json, keyed(key)))).toBe('true');
  }
});

test('no outcome of a rejected request is stored', async () => {
  const key = randomUUID();
  expect((await addPet(key, PET, service.client.withKey(undefined))).status).toBe(401);
  expect((await addPet(key, {})).status).toBe(400);
  expect((await addPet(key, { ...PET, filler: 'x'.repeat(1024 * 1024) })).status).toBe(413);
  const good = await addPet(key);
  expect([good.status, isReplay(good)]).toEqual([201, null]);
});

test('a repetition whose target is a whole URL gets the response of the first request', async () => {
  const { url, client } = service;
  const key = randomUUID();
  const first = await client.post('/v1/messages?q', { message: 'hello' }, keyed(key));
  const body = '{"message":"hello"}';
  const head = [
    'POST HTTP://shop.example:81/v1/messages?q HTTP/1.1',
    'Host: shop.example:81',
    `Authorization: Bearer ${client.key ?? ''}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const again = await sendRaw(url, [...head, '', body].join('\r\n'));
  expect(again).toMatchObject({ status: first.status, text: first.text });
});

test('an operation that creates nothing ignores the key', async () => {
  const remembered = await count('idempotency_key');
  for (const key of ['list', 'list', '']) {
    const answer = await service.client.get('/v1/pets', keyed(key));
    expect([answer.status, isReplay(answer)]).toEqual([200, null]);
  }
  expect(await count('idempotency_key')).toBe(remembered);
});

test('the 404 of an order is not stored', async () => {
  const key = randomUUID();
  const missing = idOf(await service.client.post('/v1/pets', PET)) + 1n;
  const order = () => service.client.post('/v1/store/orders', { petId: missing }, keyed(key));
  expect((await order()).status).toBe(404);
  expect(idOf(await service.client.post('/v1/pets', PET))).toBe(missing);
  const placed = await order();
  expect([placed.status, isReplay(placed)]).toEqual([201, null]);
});

test('each account has its own keys', async () => {
  const [key, other] = [randomUUID(), await service.clientOf('other')];
  const first = await addPet(key);
  const others = await addPet(key, { name: 'Rex', categoryId: 1 }, other);
  expect([others.status, isReplay(others)]).toEqual([201, null]);
  expect(idOf(others)).not.toBe(idOf(first));
  expect((await addPet(key, { name: 'Rex', categoryId: 1 }, other)).text).toBe(others.text);
});

test('the keys belong to the account, not to its API key', async () => {
  const key = randomUUID();
  const first = await addPet(key);
  expect((await addPet(key, PET, await service.clientOf('test'))).text).toBe(first.text);
});

describe('thirty requests at once with one key', () => {
  /** Checks that one animal was added, and that all other responses are replays or 409. */
  async function expectOne(name: string, answers: Answer[]): Promise<void> {
    const done = answers.filter(({ status }) => status === 201);
    const first = done.filter((answer) => isReplay(answer) === null);
    expect(first).toHaveLength(1);
    for (const { text } of done) expect(text).toBe(first[0]?.text);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectConflict(answer);
    expect(await petsNamed(name)).toBe(1);
  }

  test('add one animal', async () => {
    const name = randomUUID();
    const requests = Array.from({ length: 30 }, () => addPet(name, { name, categoryId: 1 }));
    const answers = await Promise.all(requests);
    await expectOne(name, answers);
    // On the embedded database, they wait for the first one.
    if (!onPostgres()) expect(answers.every(({ status }) => status === 201)).toBe(true);
    const late = Array.from({ length: 30 }, () => addPet(name, { name, categoryId: 1 }));
    for (const answer of await Promise.all(late)) expect(isReplay(answer)).toBe('true');
  });

  test.runIf(onPostgres())('add one animal on two replicas', async () => {
    const replica = await startServiceForTest(service.database.environment);
    const there = await replica.clientOf('test');
    for (let round = 0; round < 5; round++) {
      const name = randomUUID();
      const requests = Array.from({ length: 30 }, (_, i) =>
        addPet(name, { name, categoryId: 1 }, i % 2 === 0 ? service.client : there),
      );
      await expectOne(name, await Promise.all(requests));
    }
  });
});

function expectConflict(answer: Answer): void {
  expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(answer.headers.get('retry-after')).toBe('1');
}

// On the embedded database, which has one connection, the other request waits.
describe.runIf(onPostgres())('while a request is in progress', () => {
  test('another one with its key gets 409 at once on each replica, others are served, and a later one gets the outcome', async () => {
    const [key, replica] = [randomUUID(), await startServiceForTest(service.database.environment)];
    await whileKeyIsInUse(service, key, async (client) => {
      const there = await replica.clientOf('busy');
      for (const each of [client, there]) expectConflict(await addPet(key, PET, each));
      expectConflict(await client.post('/v1/messages', { message: 'Hello' }, keyed(key)));
      for (const each of [client, there]) expect((await addPet(randomUUID(), PET, each)).status).toBe(201);
      expect((await addPet(key, PET, await replica.clientOf('test'))).status, 'of another account').toBe(201);
    });
    expect((await addPet(key, PET, await replica.clientOf('busy'))).status).toBe(201);
  });

  test('a lost connection rolls it back, and the key can be used again', async () => {
    const key = randomUUID();
    const others = new pg.Client(service.database.environment.DATABASE_URL);
    await others.connect();
    await whileKeyIsInUse(service, key, async () => {
      const { rows } = await others.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      expect(rows).toHaveLength(1);
      await others.query('SELECT pg_terminate_backend($1::int, 20000)', [rows[0]?.pid]);
    });
    await others.end();
    expect((await addPet(key, PET, await service.clientOf('busy'))).status).toBe(201);
  });
});

test('a client that disconnects leaves no lock, and its animal is added at most once', async () => {
  const name = randomUUID();
  const body = JSON.stringify({ name, categoryId: 1 });
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: pets\r\nAuthorization: Bearer ${service.client.key}\r\n` +
      `Content-Type: application/json\r\nIdempotency-Key: ${name}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  await once(socket, 'close');
  const again = () => addPet(name, { name, categoryId: 1 });
  await expect.poll(async () => (await again()).status).toBe(201);
  expect(isReplay(await again())).toBe('true');
  expect(await petsNamed(name)).toBe(1);
});

describe('the key', () => {
  test.each([
    ['abc-1', '"abc-1"'],
    ["!#$%&'()*+-./:;<=>?@[\\]^_`{|}~", '"!#$%&\'()*+-./:;<=>?@[\\\\]^_`{|}~"'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['1', '"1"'],
  ])('%s is the same in quotes', async (bare, quoted) => {
    const first = await addPet(bare);
    expect(first.status).toBe(201);
    const again = await addPet(quoted);
    expect([isReplay(again), again.text]).toEqual(['true', first.text]);
  });

  test('may contain spaces, commas and quotes in quotes', async () => {
    const first = await addPet('"a, \\"b\\" \\\\c"');
    expect(first.status).toBe(201);
    expect(isReplay(await addPet('"a, \\"b\\" \\\\c"'))).toBe('true');
    expect(isReplay(await addPet('"a, \\"b\\" c"'))).toBe(null);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['too many escapes', `"${'\\"'.repeat(256)}"`],
    ['a space in a bare key', 'a b'],
    ['two keys', 'a, b'],
    ['an unterminated quote', '"abc'],
    ['a tab', '"a\tb"'],
    ['an unknown escape', '"a\\b"'],
    ['a trailing backslash', '"a\\"'],
    ['a parameter', '"a";b=1'],
    ['letters outside of ASCII', '\u00e9'],
    ['a byte sequence of structured fields', ':YWJj: "'],
  ])('is refused when it is %s', async (_what, key) => {
    const answer = await addPet(key);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.text).toContain('"Idempotency-Key must be');
  });

  test('is refused when it comes in two headers', async () => {
    const body = JSON.stringify(PET);
    const answer = await sendRaw(
      service.url,
      `POST /v1/pets HTTP/1.1\r\nHost: pets\r\nAuthorization: Bearer ${service.client.key}\r\n` +
        'Content-Type: application/json\r\nIdempotency-Key: a\r\nidempotency-key: b\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer.status).toBe(400);
  });

  test.each([
    ['malformed', 'a b', 400],
    ['valid', '"before the body"', 100],
  ])('that is %s is checked before the body is sent', async (_what, key, status) => {
    const lines = [
      'POST /v1/pets HTTP/1.1',
      'Host: pets',
      `Authorization: Bearer ${service.client.key ?? ''}`,
    ];
    const rest = ['Content-Type: application/json', 'Content-Length: 30', 'Expect: 100-continue', '', ''];
    const request = [...lines, `Idempotency-Key: ${key}`, ...rest].join('\r\n');
    expect((await sendRaw(service.url, request)).status).toBe(status);
  });

  test('of the maximum documented length is accepted', async () => {
    expect((await addPet(`"${'\\"'.repeat(255)}"`)).status).toBe(201);
  });
});

describe('after 24 hours', () => {
  const age = (key: string, by: string) =>
    service.app
      .get(DataSource)
      .query(`UPDATE idempotency_key SET created_at = now() - interval '${by}' WHERE key = '${key}'`);

  test('a key can be used again, and not before', async () => {
    const key = randomUUID();
    const first = await addPet(key);
    await age(key, '23 hours 55 minutes');
    expect((await addPet(key)).text).toBe(first.text);
    await age(key, '24 hours');
    const second = await addPet(key, { name: 'Rex', categoryId: 1 });
    expect([second.status, isReplay(second)]).toEqual([201, null]);
    const again = await addPet(key, { name: 'Rex', categoryId: 1 });
    expect([isReplay(again), again.text]).toEqual(['true', second.text]);
  });

  test('outcomes are removed', async () => {
    await addPet('new', PET);
    await service.app.get(DataSource).query(
      `INSERT INTO idempotency_key
       SELECT id, 'old ' || n, 'x', '', '', now() - interval '25 hours' FROM generate_series(1, 1100) n,
       (SELECT id FROM account LIMIT 1) a`,
    );
    await service.app.get(ExpiredRows).removeAll();
    expect(await count("idempotency_key WHERE key LIKE 'old %'")).toBe(0);
    expect(isReplay(await addPet('new', PET))).toBe('true');
  });
});

/** A request to an operation of a team. */
function requestOfTeam(key: string) {
  return { accountId: 1n, key, operation: 'POST /v1/visits', markReplayed: () => undefined };
}

test('the order of the fields of nested objects does not matter', async () => {
  const idempotency = service.app.get(IdempotencyService);
  const request = requestOfTeam('nested');
  const body = { owner: { name: 'Ann', age: 40n }, dates: [new Date(0)] };
  expect(await idempotency.run(request, body, () => Promise.resolve('first'))).toBe('first');
  const reordered = { dates: [new Date(0)], owner: { age: 40n, name: 'Ann' } };
  expect(await idempotency.run(request, reordered, () => Promise.resolve('second'))).toBe('first');
  const other = { dates: [new Date(1)], owner: { age: 40n, name: 'Ann' } };
  await expect(idempotency.run(request, other, () => Promise.resolve('third'))).rejects.toThrow(
    IdempotencyMismatch,
  );
});

test('work without a result takes effect once', async () => {
  const idempotency = service.app.get(IdempotencyService);
  const request = requestOfTeam('no result');
  let runs = 0;
  const work = () => {
    runs++;
    return Promise.resolve();
  };
  await idempotency.run(request, {}, work);
  await idempotency.run(request, {}, work);
  expect(runs).toBe(1);
});
