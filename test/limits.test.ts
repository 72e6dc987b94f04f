import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { sendRaw } from './support/raw-request.ts';
import { type Service, startServiceForTest } from './support/service.ts';

const PING = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';

/** Opens a connection that ends with the test, if not before. */
async function open({ url }: Service): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  // A connection that the service closes may end with a reset.
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

/** Asks on a connection; whether it was answered with 200, or closed. */
async function isAnswered(socket: Socket): Promise<boolean> {
  const outcome = Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
  if (socket.destroyed) return false;
  socket.write(PING);
  const [data] = (await outcome) as [Buffer | string];
  return data.toString().startsWith('HTTP/1.1 200 OK\r\n');
}

const postOf = ({ client }: Service, body: string, length = body.length) =>
  `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key ?? ''}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

const refusal = (message: string) => ({ code: 'invalid_request', message, status: 400 });

describe('headers', () => {
  const withHeaders = (bytes: number) =>
    `GET /health/live HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`;

  test.each([
    [16_384, {}],
    [4096, { HEADERS_LIMIT_BYTES: '4096' }],
  ])('of %i bytes are read, and no more', async (limit, environment) => {
    const { url } = await startServiceForTest(environment);
    expect((await sendRaw(url, withHeaders(limit - 100))).status).toBe(200);
    const answer = await sendRaw(url, withHeaders(limit));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('connection')).toBe('close');
    expect(JSON.parse(answer.text)).toEqual(
      refusal(`The address and the headers together exceed ${limit} bytes.`),
    );
  });

  test('that take too long to arrive are refused', async () => {
    const service = await startServiceForTest({ HEADERS_TIMEOUT_MS: '100' });
    const answer = await sendRaw(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n');
    expect(answer.status).toBe(400);
    expect(answer.headers.get('connection')).toBe('close');
    expect(JSON.parse(answer.text)).toEqual(refusal('The request took too long to arrive.'));
  });
});

describe('a body', () => {
  test('is read up to the limit that is set', async () => {
    const service = await startServiceForTest({ BODY_LIMIT_BYTES: '100' });
    const bodyOf = (bytes: number) => `{"message":"${'x'.repeat(bytes - 14)}"}`;
    expect((await sendRaw(service.url, postOf(service, bodyOf(100)))).status).toBe(202);
    const answer = await sendRaw(service.url, postOf(service, '', 101));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toEqual({
      code: 'payload_too_large',
      message: 'The body is larger than 100 bytes.',
      status: 413,
    });
  });

  test('that takes too long to arrive is refused', async () => {
    const service = await startServiceForTest({ REQUEST_TIMEOUT_MS: '100' });
    const answer = await sendRaw(service.url, postOf(service, '{"mess', 20));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual(refusal('The request took too long to arrive.'));
  });
});

describe('a connection', () => {
  test('that sends nothing is closed without an answer', async () => {
    const socket = await open(await startServiceForTest({ HEADERS_TIMEOUT_MS: '100' }));
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await once(socket, 'close');
    expect(received).toBe('');
  });

  test('may rest for longer than a balancer lets it, and longer than headers may take', async () => {
    const service = await startServiceForTest({ HEADERS_TIMEOUT_MS: '100' });
    expect((await sendRaw(service.url, PING)).headers.get('keep-alive')).toBe('timeout=65');
    const resting = await open(service);
    expect(await isAnswered(resting)).toBe(true);
    const slow = await open(service);
    slow.write('GET');
    await once(slow, 'close');
    expect(await isAnswered(resting)).toBe(true);
  });

  test('that rests for longer than is set is closed', async () => {
    const service = await startServiceForTest({ KEEP_ALIVE_TIMEOUT_MS: '50' });
    const socket = await open(service);
    expect(await isAnswered(socket)).toBe(true);
    await once(socket, 'close');
  });

  test('whose client does not read a long answer is closed, while the others are served', async () => {
    const service = await startServiceForTest({ RESPONSE_STALL_TIMEOUT_MS: '300' });
    const name = '🐱'.repeat(20_000);
    for (let count = 0; count < 100; count++) {
      expect((await service.client.post('/v1/pets', { name, categoryId: 1 })).status).toBe(201);
    }
    const request = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.client.key ?? ''}\r\n\r\n`;
    const connected = once(service.app.getHttpServer(), 'connection');
    const reader = (await open(service)).pause();
    onTestFinished(() => void reader.destroy());
    const [connection] = (await connected) as [Socket];
    const closed = once(connection, 'close');
    reader.write(request);
    expect((await service.client.get('/v1/pets?limit=1')).status).toBe(200);
    await closed;
  });

  test('beyond the maximum is closed, while the others are served, until one of them ends', async () => {
    const service = await startServiceForTest({ MAX_CONNECTIONS: '20' });
    const sockets: Socket[] = [];
    const answered: boolean[] = [];
    for (let count = 0; count < 25; count++) {
      const socket = await open(service);
      sockets.push(socket);
      answered.push(await isAnswered(socket));
    }
    // The client of the tests holds connections, too.
    const served = answered.indexOf(false);
    expect(served).toBeGreaterThan(10);
    expect(served).toBeLessThanOrEqual(20);
    expect(answered.slice(served)).not.toContain(true);
    const [first] = sockets as [Socket];
    expect(await isAnswered(first)).toBe(true);
    first.destroy();
    await expect.poll(async () => isAnswered(await open(service))).toBe(true);
  });
});
