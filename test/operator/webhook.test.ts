import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { afterAll, describe, expect, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { MessagesModule } from '#src/messages/messages.module';
import { PetsModule } from '#src/pets/pets.module';
import { StoreModule } from '#src/store/store.module';

import { startServiceForTest, useService } from '../support/service.ts';

const SECRET = `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`;

interface Received {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (response: ServerResponse) => void;

const accepting: Answer = (response) => response.writeHead(204).end();

const failing: Answer = (response) => response.writeHead(500).end();

/** The answer of the receiver, and the requests that it gets. The requests of a message have its id. */
let answer: Answer;
const received: Received[] = [];
const requestsOf = (id: string) => received.filter(({ headers }) => headers['webhook-id'] === id);

const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ path: request.url, headers: request.headers, body });
    answer(response);
  });
});

await once(receiver.listen(0, '127.0.0.1'), 'listening');

const environment = {
  MESSAGE_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks?of=store`,
  MESSAGE_WEBHOOK_SECRET: SECRET,
};

afterAll(() => receiver.close().closeAllConnections());
const service = useService(environment);

/** Queues a message whose receiver gives an answer. */
async function queue(message: string, given: Answer, { client } = service) {
  answer = given;
  return (await client.post('/v1/messages', { message })).body as { id: string; createdAt: string };
}

interface Row {
  attempts: number;
  delivered: boolean;
  parked: boolean;
  reason: string | null;
  /** The time until the next attempt. */
  wait: number;
}

async function rowOf(id: string, { app } = service): Promise<Row | undefined> {
  const [row] = await app.get(DataSource).query<Row[]>(
    `SELECT attempts, delivered_at IS NOT NULL AS delivered, parked_at IS NOT NULL AS parked, last_error AS reason,
            extract(epoch FROM due_at - now())::float8 AS wait
     FROM message WHERE id = $1`,
    [id],
  );
  return row;
}

test('a message is posted to MESSAGE_WEBHOOK_URL, with a signature that its receiver can verify', async () => {
  const { id, createdAt } = await queue('héllo 👋', accepting);
  await expect.poll(() => rowOf(id)).toMatchObject({ delivered: true, attempts: 1 });
  expect(requestsOf(id)).toMatchObject([{ path: '/hooks?of=store' }]);
  const [{ headers, body } = { headers: {}, body: '' }] = requestsOf(id);
  expect(headers).toMatchObject({ 'content-type': 'application/json' });
  expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual({
    type: 'message.queued',
    timestamp: createdAt,
    data: { id, accountId: expect.any(Number) as number, message: 'héllo 👋', createdAt },
  });
});

test('each attempt has the same id, and its own time and signature', async () => {
  const answers = [failing, accepting];
  const { id } = await queue('hello', (response) => answers.shift()?.(response));
  await expect.poll(() => rowOf(id)).toMatchObject({ attempts: 1, reason: 'the receiver answered 500' });
  const dueSoon = `UPDATE message SET due_at = now() + interval '1 second' WHERE id = $1`;
  await service.app.get(DataSource).query(dueSoon, [id]);
  await expect.poll(() => rowOf(id)).toMatchObject({ delivered: true, attempts: 2 });
  const headersOf = (name: string) => new Set(requestsOf(id).map(({ headers }) => headers[name]));
  expect(headersOf('webhook-timestamp').size).toBe(2);
  expect(headersOf('webhook-signature').size).toBe(2);
  for (const { body, headers } of requestsOf(id))
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
    ['closes the connection', (response) => response.destroy(), /^fetch failed: other side closed$/],
    [
      'redirects it',
      (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
      /^the receiver answered 307$/,
    ],
  ])('%s', async (_name, given, reason) => {
    const { id } = await queue('hello', given);
    await expect
      .poll(() => rowOf(id))
      .toMatchObject({ delivered: false, parked: false, reason: expect.stringMatching(reason) as string });
    expect(requestsOf(id).map(({ path }) => path)).toEqual(['/hooks?of=store']);
  });

  test('does not answer in time', async () => {
    const impatient = await startServiceForTest(environment, [
      ...[AuthModule, PetsModule, StoreModule],
      MessagesModule.register({ timeoutMs: 200 }),
    ]);
    const { id } = await queue('hello', () => undefined, impatient);
    await expect
      .poll(() => rowOf(id, impatient))
      .toMatchObject({
        delivered: false,
        parked: false,
        reason: expect.stringMatching(/timed out/) as string,
      });
  });
});

test('a message counts as delivered as soon as its receiver answers with a status of success', async () => {
  const { id } = await queue('hello', endless(200));
  await expect.poll(() => rowOf(id)).toMatchObject({ delivered: true, attempts: 1 });
});

describe('the next attempt', () => {
  const waitAfter = async (headers: Record<string, string>) => {
    const { id } = await queue('hello', (response) => response.writeHead(503, headers).end());
    await expect.poll(() => rowOf(id)).toMatchObject({ reason: 'the receiver answered 503' });
    return (await rowOf(id))?.wait ?? 0;
  };
  const date = (afterSeconds: number) => new Date(Date.now() + afterSeconds * 1000).toUTCString();

  test.each<[string, () => string, number]>([
    ['waits for the seconds of Retry-After', () => '3600', 3600],
    ['waits for the date of Retry-After', () => date(3600), 3600],
    ['waits for at most six hours', () => '999999999999', 6 * 3600],
  ])('%s', async (_name, retryAfter, seconds) => {
    const wait = await waitAfter({ 'Retry-After': retryAfter() });
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

test('messages that the receiver refuses as invalid do not delay the others', async () => {
  for (let count = 0; count < 12; count++) {
    const { id } = await queue('hello', (response) => response.writeHead(422).end());
    await expect.poll(() => rowOf(id)).toMatchObject({ reason: 'the receiver answered 422' });
  }
  const held: ServerResponse[] = [];
  const holding: Answer = (response) => void held.push(response);
  const queued = [await queue('hello', holding), await queue('world', holding)];
  // To a receiver that is away, the second one comes only after the timeout of the first one, 30 seconds.
  for (const { id } of queued) await expect.poll(() => requestsOf(id), { timeout: 20_000 }).toHaveLength(1);
  answer = accepting;
  held.forEach(accepting);
});

test('a message whose receiver is gone is parked at once', async () => {
  const { id } = await queue('hello', (response) => response.writeHead(410).end());
  await expect
    .poll(() => rowOf(id))
    .toMatchObject({ parked: true, attempts: 1, reason: 'the receiver answered 410' });
});
