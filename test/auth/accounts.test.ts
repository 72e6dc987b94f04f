import { expect, test } from 'vitest';

import { sendRaw } from '../support/raw-request.ts';
import { startServiceForTest, useService } from '../support/service.ts';

interface CreatedAccount {
  account: { id: bigint; name: string; createdAt: string };
  key: string;
}

/** A sign-up whose body never arrives. */
const WITHOUT_BODY =
  'POST /accounts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n';

const service = useService();

async function signUp(name: string): Promise<CreatedAccount> {
  const answer = await service.client.withKey(undefined).post('/accounts', { name });
  expect(answer.status).toBe(201);
  return answer.body as CreatedAccount;
}

test('a visitor gets an account and a key that works, without a key', async () => {
  const { account, key } = await signUp('Kitty Corner 🐱');
  expect(account.name).toMatch(/^Kitty Corner 🐱-[0-9a-f]{8}$/);
  const client = service.client.withKey(key);
  expect((await client.get('/v1/store/orders')).body).toEqual([]);
  expect((await client.get('/account')).body).toEqual(account);
  expect((await client.get('/keys')).body).toMatchObject([{ label: 'first key', start: key.slice(0, 9) }]);
});

test('no cache stores a response of an operation', async () => {
  expect((await service.client.get('/v1/pets')).headers.get('cache-control')).toBe('private, no-store');
  for (const path of ['/accounts', '/keys']) {
    const answer = await service.client.post(path, { name: 'Kitty', label: 'laptop' });
    expect(answer).toMatchObject({ status: 201, body: { key: expect.any(String) as string } });
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
  }
});

test('a visitor who chooses an existing name gets a separate account, and cannot see that the name exists', async () => {
  const [first, second] = [await signUp('test'), await signUp('test')];
  expect(first.account.id).not.toBe(second.account.id);
  expect(first.account.name).not.toBe(second.account.name);
  const keysOf = async (key: string | undefined) => (await service.client.withKey(key).get('/keys')).body;
  // The operator's account with the name "test" has other keys.
  expect(await keysOf(first.key)).toHaveLength(1);
  expect(await keysOf(second.key)).toHaveLength(1);
});

test('an address that creates too many accounts gets 429, independently of other limits', async () => {
  const { client, url } = await startServiceForTest({ SIGNUP_LIMIT_PER_HOUR: '2' });
  const send = () => client.post('/accounts', { name: 'Kitty' });
  expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
  const answer = await send();
  expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect((await client.get('/keys')).status).toBe(200);
  expect((await sendRaw(url, WITHOUT_BODY)).status, 'before the body is read').toBe(429);
});

test('if only the operator creates accounts, a visitor gets that answer before the body is read', async () => {
  const { url } = await startServiceForTest({ SIGNUP: 'closed' });
  const { status, text } = await sendRaw(url, WITHOUT_BODY);
  expect({ status, body: JSON.parse(text) as unknown }).toEqual({
    status: 403,
    body: {
      code: 'forbidden',
      message: 'The operator of this service creates the accounts. Ask the operator for one.',
      status: 403,
    },
  });
});
