import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { ExpiredRows } from '#src/database/expired-rows';

import type { Citus } from '../support/citus.ts';
import type { Answer } from '../support/client.ts';
import type { Postgres } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { FEATURES, rootOf } from '../support/root.ts';
import { type Door, openDoors } from './support/doors.ts';

const idOf = ({ body }: Answer) => (body as { id: bigint }).id;

/** The ids of the messages that the webhook has received, in their order. */
const deliveries: string[] = [];
const receiver = createServer((request, response) => {
  deliveries.push(String(request.headers['webhook-id']));
  request.resume().on('end', () => response.writeHead(204).end());
});

describe('processes that are connected to two workers', () => {
  let coordinatorUrl: string;
  let doors: readonly [Door, Door];
  let citus: Citus;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    ({ citus, coordinatorUrl, doors } = await openDoors((work) => ends.unshift(work), {
      MESSAGE_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
      MESSAGE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`,
      SIGNUP: 'open',
    }));
  });
  afterAll(async () => {
    for (const end of ends) await end();
    receiver.close().closeAllConnections();
  });

  /** Repeats a request as long as the service asks for it: it is overloaded, or another one with the key is in progress. */
  async function repeat(send: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await send();
      if (!answer.headers.has('retry-after')) return answer;
      await sleep(20);
    }
  }

  test('assign ids that rise in the order of insertion, so that a client that polls sees every animal', async () => {
    const [{ client: reader }] = doors;
    const created: bigint[] = [];
    for (let number = 0; number < 20; number++) {
      const { client } = doors[number % 2 === 0 ? 1 : 0];
      created.push(idOf(await client.post('/v1/pets', { name: 'Tom', categoryId: number })));
      const after = (created.at(-2) ?? created[0] ?? 0n) - 1n;
      const { body } = await reader.get(`/v1/pets?after=${after}`);
      expect((body as { id: bigint }[]).map(({ id }) => id)).toEqual(created.slice(-2));
    }
    const orders: bigint[] = [];
    for (let number = 0; number < 20; number++) {
      const { client } = doors[number % 2 === 0 ? 1 : 0];
      orders.push(idOf(await client.post('/v1/store/orders', { petId: created[0] })));
    }
    expect(orders).toEqual(orders.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(created.concat(orders).every((id) => id < 2n ** 48n)).toBe(true);
  });

  test('place 200 orders with a key once each, half of which are sent to both', async () => {
    const [first, second] = doors;
    const petId = idOf(await first.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }));
    const keys = Array.from({ length: 200 }, (_, number) => `order-${number}`);
    const sent = await Promise.all(
      keys.flatMap((key, number) =>
        (number % 2 === 0 ? [first, second] : [number % 4 === 1 ? first : second]).map(async (door) => ({
          key,
          answer: await repeat(() =>
            door.client.post('/v1/store/orders', { petId }, { headers: { 'Idempotency-Key': key } }),
          ),
        })),
      ),
    );
    expect(sent.map(({ answer }) => answer.status)).toEqual(Array(300).fill(201));
    expect(new Set(sent.map(({ key, answer }) => `${key} ${idOf(answer)}`)).size).toBe(200);
    const [stored] = await query<{ count: number }>(
      coordinatorUrl,
      `SELECT count(*)::int AS count FROM store_order WHERE pet_id = ${petId}`,
    );
    expect(stored).toEqual({ count: 200 });
  });

  test('create no more than 100 keys for an account together', async () => {
    const [first, second] = doors;
    const { body } = await first.client.withKey(undefined).post('/accounts', { name: 'many keys' });
    const { key } = body as { key: string };
    const attempts = Array.from({ length: 120 }, (_, number) =>
      repeat(() =>
        (number % 2 === 0 ? first : second).client.withKey(key).post('/keys', { label: `${number}` }),
      ),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(99);
    expect(statuses.filter((status) => status === 409)).toHaveLength(21);
  });

  test('deliver each message of a long queue once, and wait for no process that takes messages', async () => {
    // It lasts longer than DATABASE_QUERY_TIMEOUT_MS, and than the pause between two takes.
    await query(
      coordinatorUrl,
      `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('message-take', 0)); SELECT pg_sleep(7); COMMIT`,
    );
    const queued = await query<{ id: string }>(
      coordinatorUrl,
      `INSERT INTO message (id, account_id, message, status, created_at)
       SELECT gen_random_uuid(), (SELECT min(id) FROM account), 'new', 'queued', now() FROM generate_series(1, 1500)
       RETURNING id`,
    );
    await expect
      .poll(() => query(coordinatorUrl, 'SELECT FROM message WHERE delivered_at IS NULL LIMIT 1'), {
        timeout: 120_000,
        interval: 500,
      })
      .toEqual([]);
    expect(deliveries.toSorted()).toEqual(queued.map(({ id }) => id).toSorted());
  });

  test('remove expired rows at the same time', async () => {
    await query(
      coordinatorUrl,
      `INSERT INTO message (id, account_id, message, status, created_at, delivered_at)
       SELECT gen_random_uuid(), (SELECT min(id) FROM account), 'old', 'queued', now(), now() - interval '40 days'
       FROM generate_series(1, 3000)`,
    );
    const open = ({ url }: Postgres) =>
      createApp(rootOf(FEATURES, { config: readConfig({ LOG_LEVEL: 'silent', DATABASE_URL: url }) }));
    const apps = await Promise.all(citus.workers.map(open));
    try {
      await Promise.all(apps.map((app) => app.get(ExpiredRows).removeAll()));
    } finally {
      await Promise.all(apps.map((app) => app.close()));
    }
    expect(await query(coordinatorUrl, `SELECT FROM message WHERE message = 'old'`)).toEqual([]);
  });

  test('log no error', () => {
    const lines = doors.flatMap(({ stdout, stderr }) => (stdout() + stderr()).split('\n'));
    const errors = lines.filter((line) => line.includes('"err":'));
    // A busy machine may shed work.
    expect(errors.filter((line) => !line.includes('too much work waits for the database'))).toEqual([]);
  });
});
