import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { describe, expect, onTestFinished, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { ExpiredRows } from '#src/database/expired-rows';
import type { DeliveryOptions } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { PetsModule } from '#src/pets/pets.module';
import { StoreModule } from '#src/store/store.module';

import { type Service, startServiceForTest } from '../support/service.ts';

const SECRET = `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`;

interface Received {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (response: ServerResponse) => void;

const accepting: Answer = (response) => response.writeHead(204).end();

/** Starts a service that posts messages to a receiver. The answers are given in their order; the last one repeats. */
async function startWithReceiver(answers: readonly Answer[], options: DeliveryOptions = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url, headers: request.headers, body });
      answers[Math.min(received.length, answers.length) - 1]?.(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const environment = {
    MESSAGE_WEBHOOK_URL: `http://127.0.0.1:${port}/hooks?of=store`,
    MESSAGE_WEBHOOK_SECRET: SECRET,
  };
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const modules = [AuthModule, PetsModule, StoreModule, MessagesModule.register(options)];
  const service = await startServiceForTest(environment, modules);
  const queue = async (message: string) =>
    (await service.client.post('/v1/messages', { message })).body as { id: string; createdAt: string };
  return { service, received, queue };
}

interface Row {
  attempts: number;
  delivered: boolean;
  parked: boolean;
  reason: string | null;
  /** The time until the next attempt. */
  wait: number;
}

async function rowOf({ app }: Service, id: string): Promise<Row | undefined> {
  const [row] = await app.get(DataSource).query<Row[]>(
    `SELECT attempts, delivered_at IS NOT NULL AS delivered, parked_at IS NOT NULL AS parked, last_error AS reason,
            extract(epoch FROM due_at - now())::float8 AS wait
     FROM message WHERE id = $1`,
    [id],
  );
  return row;
}

test('a message is posted to MESSAGE_WEBHOOK_URL, with a signature that its receiver can verify', async () => {
  const { service, received, queue } = await startWithReceiver([accepting]);
  const { id, createdAt } = await queue('héllo 👋');
  await expect.poll(() => rowOf(service, id)).toMatchObject({ delivered: true, attempts: 1 });
  expect(received).toMatchObject([{ path: '/hooks?of=store' }]);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': id });
  expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual({
    type: 'message.queued',
    timestamp: createdAt,
    data: { id, accountId: expect.any(Number) as number, message: 'héllo 👋', createdAt },
  });
});

test('each attempt has the same id, and its own time and signature', async () => {
  const failing: Answer = (response) => response.writeHead(500).end();
  const { service, received, queue } = await startWithReceiver([failing, accepting], {
    retryAfterMs: () => 1000,
  });
  const { id } = await queue('hello');
  await expect
    .poll(() => rowOf(service, id), { timeout: 10_000 })
    .toMatchObject({ delivered: true, attempts: 2 });
  const headersOf = (name: string) => new Set(received.map(({ headers }) => headers[name]));
  expect(headersOf('webhook-id').size).toBe(1);
  expect(headersOf('webhook-timestamp').size).toBe(2);
  expect(headersOf('webhook-signature').size).toBe(2);
  for (const { body, headers } of received)
    new Webhook(SECRET).verify(body, headers as Record<string, string>);
});

/** Sends bytes until the client closes the connection. */
function endless(status: number): Answer {
  return (response) => {
    response.writeHead(status);
    const send = (): void => void response.write('x'.repeat(64 * 1024), () => response.destroyed || send());
    send();
  };
}

describe('a message is not delivered, and the reason is stored, when its receiver', () => {
  test.each<[string, Answer, RegExp]>([
    ['refuses it', (response) => response.writeHead(422).end('no such cat'), /^the receiver answered 422$/],
    ['sends an endless error', endless(500), /^the receiver answered 500$/],
    [
      'does not end its error',
      (response) => response.writeHead(500).flushHeaders(),
      /^the receiver answered 500$/,
    ],
    ['closes the connection', (response) => response.destroy(), /^fetch failed: /],
    ['does not answer', () => undefined, /timed out/],
    [
      'redirects it',
      (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
      /^the receiver answered 307$/,
    ],
  ])('%s', async (_name, answer, reason) => {
    const { service, received, queue } = await startWithReceiver([answer], { timeoutMs: 500 });
    const { id } = await queue('hello');
    await expect
      .poll(() => rowOf(service, id), { timeout: 10_000 })
      .toMatchObject({ delivered: false, parked: false, reason: expect.stringMatching(reason) as string });
    expect(received.map(({ path }) => path)).toEqual(['/hooks?of=store']);
  });
});

test('a message counts as delivered as soon as its receiver answers with a status of success', async () => {
  const { service, queue } = await startWithReceiver([endless(200)]);
  const { id } = await queue('hello');
  await expect.poll(() => rowOf(service, id)).toMatchObject({ delivered: true, attempts: 1 });
});

describe('the next attempt', () => {
  const waitAfter = async (headers: Record<string, string>) => {
    const { service, queue } = await startWithReceiver([
      (response) => response.writeHead(503, headers).end(),
    ]);
    const { id } = await queue('hello');
    await expect.poll(() => rowOf(service, id)).toMatchObject({ reason: 'the receiver answered 503' });
    return (await rowOf(service, id))?.wait ?? 0;
  };
  const date = (afterSeconds: number) => new Date(Date.now() + afterSeconds * 1000).toUTCString();

  test.each([
    ['waits for the seconds of Retry-After', { 'Retry-After': '3600' }, 3600],
    ['waits for the date of Retry-After', { 'Retry-After': date(3600) }, 3600],
    ['waits for at most six hours', { 'Retry-After': '999999999999' }, 6 * 3600],
  ])('%s', async (_name, headers, seconds) => {
    const wait = await waitAfter(headers);
    // The test reads the time a little later.
    expect(wait).toBeGreaterThan(seconds - 60);
    expect(wait).toBeLessThanOrEqual(seconds);
  });

  test.each([
    ['comes no sooner than the back-off', { 'Retry-After': '0' }],
    ['ignores a date in the past', { 'Retry-After': date(-3600) }],
    ['ignores a Retry-After that is neither seconds nor a date', { 'Retry-After': 'soon' }],
  ])('%s', async (_name, headers) => {
    expect(await waitAfter(headers)).toBeLessThan(5.5);
  });
});

test('a message whose receiver is gone is parked at once', async () => {
  const { service, queue } = await startWithReceiver([(response) => response.writeHead(410).end()]);
  const { id } = await queue('hello');
  await expect
    .poll(() => rowOf(service, id))
    .toMatchObject({ parked: true, attempts: 1, reason: 'the receiver answered 410' });
});

test('delivered messages are removed after MESSAGE_RETENTION_DAYS, and others are not', async () => {
  const { app, client } = await startServiceForTest({ MESSAGE_RETENTION_DAYS: '2' });
  const database = app.get(DataSource);
  const queue = async (column: string, days: number) => {
    const { id } = (await client.post('/v1/messages', { message: 'hello' })).body as { id: string };
    await database.query(`UPDATE message SET ${column} = now() - $2 * interval '1 day' WHERE id = $1`, [
      id,
      days,
    ]);
    return id;
  };
  await queue('delivered_at', 2.1);
  const kept = [
    await queue('delivered_at', 1.9),
    await queue('parked_at', 100),
    await queue('created_at', 100),
  ];
  await app.get(ExpiredRows).removeAll();
  const left = await database.query<{ id: string }[]>('SELECT id FROM message ORDER BY id');
  expect(left.map(({ id }) => id)).toEqual(kept);
});
