import { describe, expect, test } from 'vitest';

import { createKey } from '#src/auth/keys/api-key';
import { RateLimited } from '#src/domain/errors';
import { RateLimiter } from '#src/auth/callers/rate-limiter';

import type { Answer, Client } from '../support/client.ts';
import { startServiceForTest, useService } from '../support/service.ts';

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

/** Sends requests one after the other. */
async function times(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await send());
  return answers;
}

/** Sends an unknown key, as if from an address behind a proxy. */
const guess = (client: Client, address: string) =>
  client.withKey(createKey().key).get('/v1/pets', { headers: { 'x-forwarded-for': address } });

const limited = useService({ RATE_LIMIT_PER_MINUTE: '3' });

describe('an account', () => {
  test('gets the remaining quota in headers, and 429 when it is exhausted', async () => {
    const client = await limited.clientOf('counted');
    const answers = await times(4, () => client.get('/v1/pets'));
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429]);
    for (const [index, remaining] of [2, 1, 0, 0].entries()) {
      const headers = answers[index]?.headers;
      expect(headers?.get('ratelimit-policy')).toBe('"account";q=3;w=60');
      expect(headers?.get('ratelimit')).toMatch(new RegExp(`^"account";r=${remaining};t=\\d+$`));
    }
    const refused = answers.at(-1);
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused?.text).toBe(
      `{"code":"rate_limited","message":"Too many requests. Try again in ${seconds} seconds.","status":429}`,
    );
  });

  test('has one limit across all operations and all its keys, independent of other accounts', async () => {
    const client = await limited.clientOf('shared');
    await client.get('/v1/pets');
    await client.post('/v1/messages', { message: 'Hello' });
    expect((await client.get('/v1/pets/0')).status).toBe(404);
    expect((await client.get('/v1/store/orders')).status).toBe(429);
    expect((await client.post('/v1/pets', { name: 'Kitty', categoryId: 2 })).status).toBe(429);
    expect((await (await limited.clientOf('shared')).get('/v1/pets')).status, 'another key').toBe(429);
    expect((await (await limited.clientOf('other')).get('/v1/pets')).status).toBe(200);
  });

  test('has a window that is not longer than its policy', () => {
    const limiter = new RateLimiter();
    for (let number = 0; number < 1000; number++) {
      const { RateLimit } = limiter.consume(
        { policy: 'account', limit: 1, windowMs: 60_000 },
        String(number),
      );
      expect(RateLimit).toBe('"account";r=0;t=60');
    }
  });

  test('has a new quota in the next window', async () => {
    const limiter = new RateLimiter();
    const consume = () => limiter.consume({ policy: 'account', limit: 1, windowMs: 200 }, 'a');
    consume();
    expect(consume).toThrow(RateLimited);
    await expect.poll(consume).toBeTruthy();
  });
});

describe('an address', () => {
  test('that sends wrong keys gets 429, which no header can avoid, and valid keys from it are accepted', async () => {
    const { client } = limited;
    const wrong = [createKey().key, 'no key', undefined, createKey().key, 'no key', undefined];
    const statuses: number[] = [];
    for (const key of wrong) statuses.push((await client.withKey(key).get('/v1/pets')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    const refused = await guess(client, '192.0.2.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"refused-keys";q=3;w=60');
    expect(statusesOf(await times(3, () => client.get('/v1/pets')))).toEqual([200, 200, 200]);
  });

  test('is that of X-Forwarded-For if TRUST_PROXY contains the proxy', async () => {
    const { client } = await startServiceForTest({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.0/8' });
    expect((await guess(client, '192.0.2.1')).status).toBe(401);
    expect((await guess(client, '192.0.2.2')).status).toBe(401);
    expect((await guess(client, '192.0.2.2')).status).toBe(429);
    expect((await guess(client, '192.0.2.2, 192.0.2.3')).status).toBe(401);
    expect((await guess(client, '2001:db8::1')).status).toBe(401);
    expect((await guess(client, '2001:db8::2')).status, 'of the same subnet').toBe(429);
  });

  describe('behind a proxy', () => {
    const service = useService({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: '1' });

    test.each([
      ['a port', ['192.0.2.1', '192.0.2.1:1', '192.0.2.1:2']],
      ['a port of IPv6', ['2001:db8::1', '[2001:db8::1]:1', '[2001:db8::2]:2']],
      ['no address', ['unknown', '_hidden', '192.0.2', 'x'.repeat(100)]],
    ])('is the same with %s in X-Forwarded-For', async (_what, addresses) => {
      const statuses: number[] = [];
      for (const address of addresses) statuses.push((await guess(service.client, address)).status);
      expect(statuses).toEqual([401, ...Array<number>(addresses.length - 1).fill(429)]);
    });
  });
});

test('health checks and documents have no limit', async () => {
  for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs']) {
    const answers = await times(5, () => limited.client.withKey(undefined).get(path));
    expect(statusesOf(answers), path).toEqual([200, 200, 200, 200, 200]);
  }
});
