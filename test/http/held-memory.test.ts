import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Controller, Get, Module, type OnModuleInit, Post, VERSION_NEUTRAL } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { Public } from '#src/auth/callers/caller.decorator';
import { MAX_HELD_BYTES } from '#src/limits';
import { refusals } from '#src/metrics';

import { FEATURES } from '../support/root.ts';
import { useService } from '../support/service.ts';

/** More than the kernel buffers for a connection. */
const LONG_TEXT = 'x'.repeat(16 * 1024 ** 2);
const BODY_BYTES = 256 * 1024;
/** A few connections with such heads hold too much memory. */
const HEAD_BYTES = 1024 ** 2;

let handled = 0;

@Controller({ path: 'long', version: VERSION_NEUTRAL })
class LongController {
  @Get()
  @Public()
  long(): string {
    handled++;
    return LONG_TEXT;
  }

  @Get('wait')
  @Public()
  wait(): Promise<void> {
    return new Promise(() => undefined);
  }

  /** A slow database. */
  @Post('wait')
  @Public()
  waitWithBody(): Promise<void> {
    handled++;
    return this.wait();
  }
}

@Module({ controllers: [LongController] })
class LongModule implements OnModuleInit {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** Serves clients like those of a WebSocket. The first text for them is long. */
  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer() as HttpServer;
    server.on('upgrade', (_request, socket: Socket) => {
      socket.on('error', () => undefined).write(`HTTP/1.1 101 Switching Protocols\r\n\r\n`);
      while (socket.writableLength < MAX_HELD_BYTES) socket.write(LONG_TEXT);
    });
  }
}

const service = useService(
  // A connection without a request must not end before a slow test.
  { HEADERS_LIMIT_BYTES: String(HEAD_BYTES), HEADERS_TIMEOUT_MS: '600000' },
  [...FEATURES, LongModule],
);
beforeAll(() => {
  const server = service.app.getHttpServer() as Server;
  server.on('connection', (socket: Socket) => accepted.set(socket.remotePort, socket));
});

const countOpen = () => {
  const server = service.app.getHttpServer() as Server;
  return promisify(server.getConnections.bind(server))();
};

const sockets: Socket[] = [];
/** The sides of the service, by the ports of the clients. */
const accepted = new Map<number | undefined, Socket>();
const sideOfService = ({ localPort }: Socket) => accepted.get(localPort);
afterEach(async () => {
  sockets.splice(0).forEach((socket) => socket.destroy());
  await expect.poll(countOpen).toBeLessThan(10);
});

/** Opens connections that send a text, and do not read. */
async function hold(count: number, text: string): Promise<Socket[]> {
  const { port } = new URL(service.url);
  const opened = Array.from({ length: count }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => undefined),
  );
  sockets.push(...opened);
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  await expect.poll(() => opened.every(sideOfService)).toBe(true);
  for (const socket of opened) socket.pause().write(text);
  return opened;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function liveBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('a connection holds little, however short the pieces of its text are', () => {
  const COUNT = 200;
  /** The client's side of a connection is in this process, too. */
  const HELD_BYTES = 80 * 1024;
  const chunks = '1\r\n \r\n'.repeat(1000);
  const start = (path: string, headers: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n`;
  const bearer = () => `Authorization: Bearer ${service.client.key ?? ''}\r\n`;

  test.each([
    ['chunks of a byte', () => start('/v1/pets', `${bearer()}Transfer-Encoding: chunked\r\n`) + chunks],
    ['chunks of a byte without a key', () => start('/accounts', 'Transfer-Encoding: chunked\r\n') + chunks],
  ])('%s', async (_what, text) => {
    const before = liveBytes();
    const bytes = text();
    const held = await hold(COUNT, bytes);
    const isRead = (socket: Socket) => sideOfService(socket)?.bytesRead === bytes.length;
    await expect.poll(() => held.every(isRead)).toBe(true);
    expect((liveBytes() - before) / COUNT).toBeLessThan(HELD_BYTES);
  });

  test('pieces of a byte that arrive one by one', async () => {
    const before = liveBytes();
    const head = post('/v1/pets', 1000);
    const held = await hold(20, head);
    const read = async (bytes: number) => {
      while (held.some((socket) => sideOfService(socket)?.bytesRead !== bytes)) await setImmediate();
    };
    for (let pieces = 0; pieces < 500; pieces++) {
      await read(head.length + pieces);
      for (const socket of held) socket.write(' ');
    }
    expect((liveBytes() - before) / held.length).toBeLessThan(HELD_BYTES);
  });
});

test('clients that send many requests behind one that takes long lose their connections', async () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`;
  const count = 75;
  const held = await hold(count, request('/long/wait') + request('/v1/pets').repeat(60));
  const countClosed = () => held.filter(({ closed }) => closed).length;
  await expect.poll(countClosed).toBeGreaterThan(0);
  expect(countClosed()).toBeLessThan(count);
  expect((await service.client.get('/v1/pets')).status).toBe(200);
});

const post = (path: string, length: number, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.client.key ?? ''}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n`;

/** Sends so many bytes that the service measures what the clients hold. */
async function sendMuch(): Promise<void> {
  const message = 'x'.repeat(BODY_BYTES - 100);
  for (let i = 0; i < 20; i++)
    expect((await service.client.post('/v1/messages', { message })).status).toBe(202);
}

const isOpen = (socket: Socket) => sideOfService(socket)?.destroyed === false;

/** Returns the number of bodies and connections that ended because of the memory, in this test. */
async function countRefusals(): Promise<number> {
  const { values } = await refusals.get();
  return values.find(({ labels }) => labels.by === 'memory')?.value ?? 0;
}
beforeEach(() => {
  refusals.reset();
  handled = 0;
});

test('clients that never end their bodies are refused, and not the others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const idle = await hold(1, '');
  vi.advanceTimersByTime(60_000);
  const count = (5 / 8) * (MAX_HELD_BYTES / BODY_BYTES);
  const held = await hold(
    count,
    post('/v1/pets', BODY_BYTES, 'Connection: close\r\n') + ' '.repeat(BODY_BYTES - 1),
  );
  const isRead = (socket: Socket) => !isOpen(socket) || (sideOfService(socket)?.bytesRead ?? 0) > BODY_BYTES;
  await expect.poll(() => held.every(isRead)).toBe(true);
  vi.advanceTimersByTime(100);
  await sendMuch();
  const answers: string[] = [];
  for (const socket of held) socket.on('data', (text) => answers.push(String(text))).resume();
  await expect.poll(() => answers.length).toBeGreaterThan(0);
  expect(answers[0]).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1[^]*"code":"unavailable"/);
  // A refused body does not count, although its client can still send the rest.
  expect(await countRefusals()).toBeLessThan(count / 2);
  expect(idle.map(isOpen)).toEqual([true]);
});

test('no connection ends while long requests wait for a slow database', async () => {
  const idle = await hold(1, '');
  const body = JSON.stringify({ name: 'x'.repeat(BODY_BYTES - 100) });
  const requests: Socket[] = [];
  while (requests.length * body.length < MAX_HELD_BYTES) {
    requests.push(...(await hold(50, post('/long/wait', body.length) + body)));
    await expect.poll(() => handled).toBe(requests.length);
  }
  await sendMuch();
  expect([...idle, ...requests].every(isOpen)).toBe(true);
});

test('clients that go away leave nothing of bodies that nobody has read', async () => {
  const before = liveBytes();
  const count = 200;
  const text = post('/long/wait', BODY_BYTES).replace('application/json', 'text/plain') + 'x'.repeat(60_000);
  const clients = await hold(count, text);
  const isRead = (socket: Socket) => sideOfService(socket)?.bytesRead === text.length;
  await expect.poll(() => handled === count && clients.every(isRead)).toBe(true);
  sockets.splice(0).forEach((socket) => socket.destroy());
  await expect.poll(countOpen).toBeLessThan(10);
  clients.length = 0;
  accepted.clear();
  expect((liveBytes() - before) / count).toBeLessThan(40_000);
});

test('the beginning of a next request counts, and ends before a connection that is idle after a long one', async () => {
  const request = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n';
  const next = `${request}X: ${'x'.repeat(HEAD_BYTES / 2)}`;
  const idle = await hold(1, `${next}\r\n\r\n`);
  await expect.poll(() => (idle[0] ? sideOfService(idle[0])?.bytesWritten : 0)).toBeGreaterThan(0);
  const held = await hold((2.5 * MAX_HELD_BYTES) / HEAD_BYTES, `${request}\r\n${next}`);
  const isAnswered = (socket: Socket) => !isOpen(socket) || (sideOfService(socket)?.bytesWritten ?? 0) > 0;
  await expect.poll(() => held.every(isAnswered)).toBe(true);
  await sendMuch();
  await expect.poll(() => held.every(isOpen)).toBe(false);
  expect(idle.map(isOpen)).toEqual([true]);
});

test('a connection that an application upgrades does not count, and stays open', async () => {
  const get = 'GET /long HTTP/1.1\r\nHost: a\r\n';
  const upgraded = await hold(1, `${get}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const others = await hold(1, `${get}\r\n`);
  const unread = () => [...upgraded, ...others].map((socket) => sideOfService(socket)?.writableLength ?? 0);
  await expect.poll(() => Math.min(...unread())).toBeGreaterThan(0);
  await sendMuch();
  expect(Math.max(...unread())).toBeGreaterThanOrEqual(MAX_HELD_BYTES);
  expect([...upgraded, ...others].every(isOpen)).toBe(true);
});

test('a client that sends many requests at once gets the next response only when it has read the last one', async () => {
  await hold(1, 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20));
  await expect.poll(() => handled).toBeGreaterThan(0);
  expect((await service.client.get('/v1/pets')).status).toBe(200);
  expect(handled).toBe(1);
});

test('clients that do not read long responses lose their connections before they take too much memory', async () => {
  const count = (4 * MAX_HELD_BYTES) / LONG_TEXT.length;
  await hold(count, 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(countOpen).toBeLessThan(count);
  // The others may still read.
  expect(await countOpen()).toBeGreaterThan(1);
  expect((await service.client.get('/v1/pets')).status).toBe(200);
});
