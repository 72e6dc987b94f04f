import { randomUUID } from 'node:crypto';

import { expect, onTestFinished, test } from 'vitest';

import { startServiceProcess } from '../support/process.ts';
import { Proxy } from './support/proxy.ts';
import { createStore, readBack, usePostgres } from './support/store.ts';
import { TIMEOUTS } from './support/timeouts.ts';

const postgres = usePostgres();

/** A service behind a proxy that can drop the responses of the database. */
async function start() {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const proxy = await Proxy.to(DATABASE_URL);
  onTestFinished(() => proxy.close());
  const { url } = await startServiceProcess({ DATABASE_URL: proxy.rewrite(DATABASE_URL), ...TIMEOUTS });
  const create = (headers: Record<string, string> = {}, origin = url) =>
    fetch(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: '{"name":"Kitty","categoryId":1}',
    });
  return { create, proxy, DATABASE_URL, stored: async () => (await readBack({ DATABASE_URL })).pets };
}

async function expectUnknown(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
}

test('a create whose commit succeeded but whose confirmation was lost gets 503, and is stored', async () => {
  const { create, proxy, stored } = await start();
  proxy.set({ cutAt: (chunk) => chunk.indexOf('INSERT 0 1') }, ['toClient']);
  await expectUnknown(await create());
  expect(await stored()).toHaveLength(1);
});

test('a create whose confirmation was lost, and its retry with the same key at a later process, add one animal', async () => {
  const { create, proxy, stored, DATABASE_URL } = await start();
  const headers = { 'idempotency-key': randomUUID() };
  proxy.set({ cutAt: (chunk) => chunk.indexOf('COMMIT') }, ['toClient']);
  await expectUnknown(await create(headers));
  const [pet, ...others] = await stored();
  expect(others).toEqual([]);
  const later = await startServiceProcess({ DATABASE_URL });
  const retry = await create(headers, later.url);
  expect(retry.status).toBe(201);
  expect(retry.headers.get('idempotency-replayed')).toBe('true');
  expect(BigInt(((await retry.json()) as { id: number }).id)).toBe(pet?.id);
  expect(await stored()).toHaveLength(1);
});

test('a create that was never committed, and its retry with the same Idempotency-Key, add one animal', async () => {
  const { create, proxy, stored } = await start();
  const headers = { 'idempotency-key': randomUUID() };
  proxy.set({ cutAt: (chunk) => chunk.indexOf('COMMIT') }, ['toServer']);
  await expectUnknown(await create(headers));
  proxy.heal();
  expect(await stored()).toEqual([]);
  const retry = await create(headers);
  expect(retry.status).toBe(201);
  expect(retry.headers.has('idempotency-replayed')).toBe(false);
  expect(await stored()).toHaveLength(1);
});
