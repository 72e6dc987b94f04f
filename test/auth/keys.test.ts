import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import type { Caller } from '#src/auth/callers/caller.decorator';
import { Authenticator } from '#src/auth/callers/authenticator';
import { KeyVerifier } from '#src/auth/callers/key-verifier';
import { ApiKeyVerifier } from '#src/auth/keys/api-key-verifier';
import { KeysService } from '#src/auth/keys/keys.service';
import { ExpiredRows } from '#src/database/expired-rows';
import { PetsModule } from '#src/pets/pets.module';

import type { Client } from '../support/client.ts';
import { counterOf } from '../support/metrics.ts';
import { startServiceForTest, useService } from '../support/service.ts';

interface Key {
  id: bigint;
  label: string;
  start: string;
  createdAt: string;
  lastUsedAt: string | null;
  key: string;
}

/** The verifier of the service. A gate holds the results of look-ups. */
@Injectable()
class HeldKeys extends ApiKeyVerifier {
  gate: Promise<undefined> | undefined;
  held = 0;

  override async findCaller(key: string): Promise<Caller | undefined> {
    const { gate } = this;
    const caller = await super.findCaller(key);
    if (gate) this.held++;
    await gate;
    return caller;
  }
}

const service = useService({}, [PetsModule, AuthModule.register({ verifier: HeldKeys })]);

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

/** Authenticates a client as a gateway does. */
const authenticate = (key: string) =>
  service.app.get(Authenticator).authenticate(new IncomingMessage(new Socket()), key);

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
});

test('an account gets at most 100 active keys, also through concurrent requests, until one is revoked', async () => {
  const client = await service.clientOf('crowd');
  await addKeys('crowd', 94);
  const { id } = await makeKey(client);
  const create = () => client.post('/keys', { label: 'laptop' });
  const answers = await Promise.all(Array.from({ length: 20 }, create));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(answer.text).toMatch(/100 active keys.*Revoke one/);
  }
  expect(await keysOf(client)).toHaveLength(100);
  await client.send('DELETE', `/keys/${id}`);
  await makeKey(client);
  expect((await create()).status).toBe(409);
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

  /** Sends a request whose look-up has read the database. Returns a function that releases its result. */
  async function holdRequest(client: Client) {
    const verifier = service.app.get<HeldKeys>(KeyVerifier);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const release = () => resolve(undefined);
    const held = verifier.held;
    verifier.gate = promise;
    const answer = client.get('/v1/pets');
    await expect.poll(() => verifier.held).toBe(held + 1);
    verifier.gate = undefined;
    return { answer, release };
  }

  test('is rejected at once, even if a look-up that began before is in progress', async () => {
    const owner = await service.clientOf('revoker');
    const { id, key } = await makeKey(owner);
    const revoked = owner.withKey(key);
    const { answer, release } = await holdRequest(revoked);
    expect((await owner.send('DELETE', `/keys/${id}`)).status).toBe(204);
    expect((await revoked.get('/v1/pets')).status).toBe(401);
    release();
    expect((await answer).status, 'sent before the revocation').toBe(200);
    expect((await revoked.get('/v1/pets')).status).toBe(401);
  });

  test('is rejected within 5 seconds of another replica, even if a look-up takes longer', async () => {
    const owner = await service.clientOf('revoker');
    const { id, key } = await makeKey(owner);
    const revoked = owner.withKey(key);
    const { answer, release } = await holdRequest(revoked);
    const revoke = 'UPDATE api_key SET revoked_at = now() WHERE id = $1';
    await service.app.get(DataSource).query(revoke, [id]);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 4000);
    onTestFinished(() => clock.mockRestore());
    expect((await revoked.get('/v1/pets')).status).toBe(401);
    release();
    expect((await answer).status, 'sent before the revocation').toBe(200);
    expect((await revoked.get('/v1/pets')).status).toBe(401);
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

test('while thousands of requests wait for look-ups of their keys, another one is refused', async () => {
  const verifier = service.app.get<HeldKeys>(KeyVerifier);
  const client = await service.clientOf('late');
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const release = () => {
    verifier.gate = undefined;
    resolve(undefined);
  };
  onTestFinished(release);
  verifier.gate = promise;
  const waiting = Array.from({ length: 10_000 }, () => authenticate('unknown').catch(String));
  const refused = await client.get('/v1/pets');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  release();
  await Promise.all(waiting);
  expect((await client.get('/v1/pets')).status).toBe(200);
});

test('keys that are looked up together open their own accounts', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `visitor ${index}`);
  const clients = await Promise.all(names.map((name) => service.clientOf(name)));
  // Requests from this process would be looked up one after the other. The order differs from that of the rows.
  const callers = await Promise.all(clients.toReversed().map(({ key }) => authenticate(key ?? '')));
  expect(callers.map(({ account }) => account.name)).toEqual(names.toReversed());
  // The callers are in the cache now.
  const answers = await Promise.all(clients.map((client) => client.get('/account')));
  expect(answers.map(({ body }) => (body as { name: string }).name)).toEqual(names);
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
    service.app.get(Authenticator).forget(id);
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

test('an account may create a limited number of keys per hour', async () => {
  const limited = await startServiceForTest({ KEY_LIMIT_PER_HOUR: '2' });
  const create = (client: Client) => client.post('/keys', { label: 'laptop' });
  for (const status of [201, 201, 429]) expect(await create(limited.client)).toMatchObject({ status });
  const { headers } = await create(limited.client);
  expect(headers.get('ratelimit-policy')).toBe('"new-keys";q=2;w=3600');
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000);
  const sameAccount = await limited.clientOf('test');
  expect((await create(sameAccount)).status, 'of another key of the account').toBe(429);
  expect((await create(await limited.clientOf('other'))).status).toBe(201);
});

test('the newest 100 revoked keys of an account stay listed for the operator', async () => {
  const owner = await service.clientOf('spender');
  await addKeys('spender', 150, 'spent');
  const keysBefore = await keysOf(owner);
  // Citus refuses now() in an expression with a column.
  await service.app
    .get(DataSource)
    .query(
      `UPDATE api_key SET revoked_at = to_timestamp(${Date.now() / 1000} - id % 86400) WHERE label = 'spent'`,
    );
  await makeKey(owner);
  const spent = (await service.app.get(KeysService).list()).filter(({ label }) => label === 'spent');
  const newest = keysBefore.filter(({ label }) => label === 'spent').slice(0, 100);
  expect(spent.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
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
