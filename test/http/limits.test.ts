import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { PetsService } from '#src/pets/pets.service';

import { sendRaw } from '../support/raw-request.ts';
import { type Service, startServiceForTest, useService } from '../support/service.ts';

const PING = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';

const byDefault = useService();
const strict = useService({ HEADERS_LIMIT_BYTES: '4096', BODY_LIMIT_BYTES: '100' });
/** A service that does not wait long for headers. */
const hasty = useService({ HEADERS_TIMEOUT_MS: '100' });
/** A service that does not wait long for bodies and further requests. */
const impatient = useService({ REQUEST_TIMEOUT_MS: '100', KEEP_ALIVE_TIMEOUT_MS: '50' });

/** Opens a connection that ends with the test at the latest. */
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

/** Sends a request on a connection. Returns whether it got 200 before the connection was closed. */
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

const TIMEOUT = { code: 'request_timeout', message: 'The request took too long to arrive.', status: 408 };

describe('headers', () => {
  const withHeaders = (bytes: number) =>
    `GET /health/live HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`;

  test.each([
    [16_384, byDefault],
    [4096, strict],
  ])('of %i bytes are read, and no more', async (limit, { url }) => {
    expect((await sendRaw(url, withHeaders(limit - 100))).status).toBe(200);
    const answer = await sendRaw(url, withHeaders(limit));
    expect(answer.headers.get('connection')).toBe('close');
    expect(JSON.parse(answer.text)).toEqual({
      code: 'request_header_fields_too_large',
      message: `The target and the headers together exceed ${limit} bytes or 100 fields.`,
      status: 431,
    });
  });

  test('get 431 in several pieces, too, and the target does not', async () => {
    const socket = await open(byDefault);
    const response = once(socket, 'data');
    socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n');
    // The service has read the first piece when it has answered on another connection.
    await sendRaw(byDefault.url, PING);
    socket.write(`X: ${'x'.repeat(16_384)}\r\n\r\n`);
    expect(String(await response)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await sendRaw(byDefault.url, `GET /${'x'.repeat(16_384)} HTTP/1.1\r\n\r\n`)).status).toBe(414);
  });

  test('of 100 fields are read, and no more', async () => {
    const withFields = (count: number) =>
      `GET /health/live HTTP/1.1\r\nHost: a\r\n${'X: x\r\n'.repeat(count - 1)}\r\n`;
    expect((await sendRaw(byDefault.url, withFields(100))).status).toBe(200);
    expect((await sendRaw(byDefault.url, withFields(101))).status).toBe(431);
  });

  test('get 408 if they take too long to arrive', async () => {
    const answer = await sendRaw(hasty.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n');
    expect(answer.headers.get('connection')).toBe('close');
    expect(JSON.parse(answer.text)).toEqual(TIMEOUT);
  });
});

describe('a body', () => {
  test('is read up to the configured limit', async () => {
    const bodyOf = (bytes: number) => `{"message":"${'x'.repeat(bytes - 14)}"}`;
    expect((await sendRaw(strict.url, postOf(strict, bodyOf(100)))).status).toBe(202);
    const answer = await sendRaw(strict.url, postOf(strict, '', 101));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toEqual({
      code: 'payload_too_large',
      message: 'The body exceeds 100 bytes.',
      status: 413,
    });
  });

  test('gets 408 if it takes too long to arrive', async () => {
    const answer = await sendRaw(impatient.url, postOf(impatient, '{"mess', 20));
    expect(JSON.parse(answer.text)).toEqual(TIMEOUT);
  });
});

describe('a connection', () => {
  test('without a request is closed without a response', async () => {
    const socket = await open(hasty);
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await once(socket, 'close');
    expect(received).toBe('');
  });

  test('can be idle for longer than the timeouts of balancers and of headers', async () => {
    expect((await sendRaw(hasty.url, PING)).headers.get('keep-alive')).toBe('timeout=65');
    const resting = await open(hasty);
    expect(await isAnswered(resting)).toBe(true);
    const slow = await open(hasty);
    slow.write('GET');
    await once(slow, 'close');
    expect(await isAnswered(resting)).toBe(true);
  });

  test('is closed when it exceeds the idle timeout', async () => {
    const socket = await open(impatient);
    expect(await isAnswered(socket)).toBe(true);
    await once(socket, 'close');
  });

  describe('with many long responses', () => {
    const service = useService({ RESPONSE_STALL_TIMEOUT_MS: '1000' });
    beforeAll(async () => {
      const pets = Array.from({ length: 12 }, () => ({ name: 'x'.repeat(20_000), categoryId: 1n }));
      await service.app.get(PetsService).createAll([pets]);
    });

    /** Opens a connection that has requested a page of 240 KiB many times. */
    async function requestPages(): Promise<[Socket, Socket]> {
      const connected = once(service.app.getHttpServer(), 'connection');
      const reader = (await open(service)).pause();
      const [connection] = (await connected) as [Socket];
      const key = service.client.key ?? '';
      const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      reader.write(request.repeat(100));
      return [reader, connection];
    }

    test('whose client does not read is closed, while the others are served', async () => {
      const [reader, connection] = await requestPages();
      const closed = once(connection, 'close');
      const timer = setInterval(() => reader.write('\r\n'), 20);
      onTestFinished(() => clearInterval(timer));
      expect((await service.client.get('/v1/pets?limit=1')).status).toBe(200);
      await closed;
    });

    test('stays open while its client reads slowly', async () => {
      const [reader] = await requestPages();
      const startedAt = performance.now();
      let received = 0;
      while (received < 24_000_000 && !reader.closed) {
        received += ((reader.read() ?? '') as Buffer | string).length;
        await sleep(5);
      }
      expect(reader.closed).toBe(false);
      expect(performance.now() - startedAt).toBeGreaterThan(1000);
    });
  });

  test('is closed if its client continues to send a body after the response', async () => {
    const socket = await open(byDefault);
    // A write after the end causes an error.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    const timer = setInterval(() => socket.write('x'), 20);
    onTestFinished(() => clearInterval(timer));
    await closed;
  });

  test('above the maximum is closed, and the others are served, until one of them ends', async () => {
    const service = await startServiceForTest({ MAX_CONNECTIONS: '20' });
    const sockets: Socket[] = [];
    const answered: boolean[] = [];
    for (let count = 0; count < 25; count++) {
      const socket = await open(service);
      sockets.push(socket);
      answered.push(await isAnswered(socket));
    }
    // The client of the tests also has open connections.
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
