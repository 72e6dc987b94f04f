import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { AuthService } from '#src/auth/auth.service';
import { ExpiredRows } from '#src/database/expired-rows';

import type { Client } from '../support/client.ts';
import { counterOf } from '../support/metrics.ts';
import { type Service, startService } from '../support/service.ts';

interface Key {
  id: bigint;
  label: string;
  start: string;
  createdAt: string;
  lastUsedAt: string | null;
  key: string;
}

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function makeKey(client: Client, label = 'laptop'): Promise<Key> {
  const answer = await client.post('/keys', { label });
  expect(answer.status).toBe(201);
  return answer.body as Key;
}

async function keysOf(client: Client): Promise<Key[]> {
  const answer = await client.get('/keys');
  expect(answer.status).toBe(200);
  return answer.body as Key[];
}

/** Adds keys without a known secret to an account. */
async function addKeys(account: string, count: number, label = 'old'): Promise<void> {
  const dataSource = service.app.get(DataSource);
  const [{ id }] = await dataSource.query<[{ id: bigint }]>('SELECT id FROM account WHERE name = $1', [
    account,
  ]);
  await dataSource.query(
    `INSERT INTO api_key (account_id, label, hash, start)
     SELECT $1, $3, uuid_send(gen_random_uuid()), 'ps_old' FROM generate_series(1, $2)`,
    [id, count, label],
  );
}

describe('a new key', () => {
  test('is shown once, and opens the same account', async () => {
    const client = await service.clientOf('maker');
    const made = await makeKey(client, 'my laptop 🐱');
    expect(made.key).toMatch(/^ps_[0-9A-Za-z]{33}$/);
    expect(made).toMatchObject({ label: 'my laptop 🐱', start: made.key.slice(0, 9), lastUsedAt: null });
    const { key, ...shown } = made;
    expect(await keysOf(client)).toContainEqual(shown);
    expect((await client.get('/keys')).text).not.toContain(key);
    const ids = (await keysOf(client.withKey(key))).map(({ id }) => id);
    expect(ids).toEqual((await keysOf(client)).map(({ id }) => id));
  });

  test('is not stored in the database', async () => {
    const { key } = await makeKey(service.client);
    const rows: unknown[] = await service.app.get(DataSource).query('SELECT api_key::text FROM api_key');
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(Buffer.from(key).toString('hex'));
  });

  test.each([{}, { label: '' }, { label: 'two\nlines' }, { label: 'x'.repeat(65) }])(
    'needs a label of 1 to 64 characters on one line, unlike %j',
    async (body) => {
      const answer = await service.client.post('/keys', body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^label /) as string });
    },
  );

  test('may have a label of 64 characters', async () => {
    expect((await makeKey(service.client, '🐱'.repeat(64))).label).toBe('🐱'.repeat(64));
  });
});

describe('an account with 100 active keys', () => {
  const refusal = {
    status: 409,
    body: { code: 'conflict', message: expect.stringMatching(/100 active keys.*Revoke one/) as string },
  };

  test('gets another key only after one is revoked', async () => {
    const client = await service.clientOf('collector');
    await addKeys('collector', 98);
    const { id } = await makeKey(client);
    expect(await client.post('/keys', { label: 'laptop' })).toMatchObject(refusal);
    expect(await keysOf(client)).toHaveLength(100);
    await client.send('DELETE', `/keys/${id}`);
    await makeKey(client);
    expect(await client.post('/keys', { label: 'laptop' })).toMatchObject(refusal);
  });

  test('does not exceed the limit through concurrent requests', async () => {
    const client = await service.clientOf('crowd');
    await addKeys('crowd', 95);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/keys', { label: 'laptop' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(16);
    expect(await keysOf(client)).toHaveLength(100);
  });
});

describe('a revoked key', () => {
  test('is rejected at once, even if it is cached', async () => {
    const client = await service.clientOf('revoker');
    const { id, key } = await makeKey(client);
    const revoked = client.withKey(key);
    expect((await revoked.get('/v1/pets')).status).toBe(200);
    const answer = await client.send('DELETE', `/keys/${id}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
    const refused = await revoked.get('/v1/pets');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="invalid_token"');
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('is not listed, and cannot be revoked again', async () => {
    const client = await service.clientOf('revoker');
    const { id } = await makeKey(client);
    await client.send('DELETE', `/keys/${id}`);
    expect((await keysOf(client)).map((key) => key.id)).not.toContain(id);
    expect((await client.send('DELETE', `/keys/${id}`)).status).toBe(404);
  });

  test('can revoke itself', async () => {
    const { id, key } = await makeKey(service.client);
    const own = service.client.withKey(key);
    expect((await own.send('DELETE', `/keys/${id}`)).status).toBe(204);
    expect((await own.get('/keys')).status).toBe(401);
  });
});

test('an account sees only its own keys', async () => {
  const [mine, theirs] = [await service.clientOf('mine'), await service.clientOf('theirs')];
  const { id } = await makeKey(mine);
  expect((await keysOf(mine)).map((key) => key.id)).toContain(id);
  expect((await keysOf(theirs)).map((key) => key.id)).not.toContain(id);
});

test('revoking a key of another account is a 404 and has no effect', async () => {
  const [mine, theirs] = [await service.clientOf('mine'), await service.clientOf('theirs')];
  const { id, key } = await makeKey(mine);
  const answer = await theirs.send('DELETE', `/keys/${id}`);
  expect(answer.status).toBe(404);
  const missing = await theirs.send('DELETE', '/keys/9223372036854775807');
  expect(missing.status).toBe(404);
  expect(answer.text).toBe(missing.text.replace('9223372036854775807', id.toString()));
  expect((await mine.withKey(key).get('/keys')).status).toBe(200);
});

test.each(['abc', '0', '-1', '1.5', '9223372036854775808'])('%s is not the id of a key: 404', async (id) => {
  expect((await service.client.send('DELETE', `/keys/${id}`)).status).toBe(404);
});

test('the time of last use is written at most once a minute', async () => {
  const owner = await service.clientOf('clockwatcher');
  const { id, key } = await makeKey(owner);
  const client = owner.withKey(key);
  const database = service.app.get(DataSource);
  const lastUsed = async () => (await keysOf(owner)).find((found) => found.id === id)?.lastUsedAt;
  const setLastUsed = (ago: string) =>
    database.query(`UPDATE api_key SET last_used_at = now() - interval '${ago}' WHERE id = $1`, [id]);
  // The cache would delay the next look-up.
  const useAfresh = async () => {
    service.app.get(AuthService).forget(id);
    expect((await client.get('/v1/pets')).status).toBe(200);
  };

  expect(await lastUsed()).toBeNull();
  await useAfresh();
  expect(Math.abs(Date.parse((await lastUsed()) ?? '') - Date.now())).toBeLessThan(60_000);

  await setLastUsed('50 seconds');
  const recent = await lastUsed();
  await useAfresh();
  expect(await lastUsed()).toBe(recent);

  await setLastUsed('61 seconds');
  const old = await lastUsed();
  await useAfresh();
  expect(Date.parse((await lastUsed()) ?? '')).toBeGreaterThan(Date.parse(old ?? ''));
});

test('revoking keys leaves the callers of other keys in the cache', async () => {
  const [client, owner] = [await service.clientOf('bystander'), await service.clientOf('revoker')];
  const verifications = () => counterOf('petstore_key_verifications_total', { source: 'verifier' });
  const keys = await Promise.all(Array.from({ length: 10 }, () => makeKey(owner)));
  await client.get('/v1/pets');
  const before = await verifications();
  for (const { id } of keys) await owner.send('DELETE', `/keys/${id}`);
  await client.get('/v1/pets');
  expect(await verifications()).toBe(before);
});

test('keys are removed 90 days after they were revoked', async () => {
  const owner = await service.clientOf('former owner');
  const database = service.app.get(DataSource);
  const [old, recent] = [await makeKey(owner), await makeKey(owner)];
  for (const { id } of [old, recent]) await owner.send('DELETE', `/keys/${id}`);
  await database.query(`UPDATE api_key SET revoked_at = now() - interval '91 days' WHERE id = $1`, [old.id]);
  await service.app.get(ExpiredRows).removeAll();
  const left = await database.query<{ id: string }[]>('SELECT id FROM api_key WHERE id = ANY($1)', [
    [old.id, recent.id],
  ]);
  expect(left).toEqual([{ id: String(recent.id) }]);
});
