import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Controller, Get, Module, VERSION_NEUTRAL } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { Public } from '#src/auth/callers/caller.decorator';
import { MAX_HELD_BYTES } from '#src/limits';

import { FEATURES } from '../support/root.ts';
import { type Service, startService } from '../support/service.ts';

/** More than the kernel buffers for a connection. */
const LONG_TEXT = 'x'.repeat(16 * 1024 ** 2);
const BODY_BYTES = 256 * 1024;

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
}

@Module({ controllers: [LongController] })
class LongModule {}

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGNUP_LIMIT_PER_HOUR: '1000000' }, [...FEATURES, LongModule]);
});
afterAll(() => service.stop());

const countOpen = () => {
  const server = service.app.getHttpServer() as Server;
  return promisify(server.getConnections.bind(server))();
};

const sockets: Socket[] = [];
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
  for (const socket of opened) socket.pause().write(text);
  return opened;
}

/** Returns the connections that the service accepts from now on. */
function accepted(): Socket[] {
  const connections: Socket[] = [];
  const server = service.app.getHttpServer() as Server;
  server.on('connection', (socket: Socket) => connections.push(socket));
  return connections;
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
  const post = (path: string, headers: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n`;
  const bearer = () => `Authorization: Bearer ${service.client.key ?? ''}\r\n`;

  test.each([
    ['chunks of a byte', () => post('/v1/pets', `${bearer()}Transfer-Encoding: chunked\r\n`) + chunks],
    ['chunks of a byte without a key', () => post('/accounts', 'Transfer-Encoding: chunked\r\n') + chunks],
  ])('%s', async (_what, text) => {
    const before = liveBytes();
    const bytes = text();
    const connections = accepted();
    await hold(COUNT, bytes);
    const countRead = () => connections.filter(({ bytesRead }) => bytesRead >= bytes.length).length;
    await expect.poll(countRead).toBe(COUNT);
    expect((liveBytes() - before) / COUNT).toBeLessThan(HELD_BYTES);
  });

  test('pieces of a byte that arrive one by one', async () => {
    const before = liveBytes();
    const connections = accepted();
    const head = post('/v1/pets', `${bearer()}Content-Length: 1000\r\n`);
    const held = await hold(20, head);
    const read = async (bytes: number) => {
      while (connections.length < held.length || connections.some(({ bytesRead }) => bytesRead < bytes))
        await setImmediate();
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
  const count = 25;
  const held = await hold(count, request('/long/wait') + request('/v1/pets').repeat(60));
  const countClosed = () => held.filter(({ closed }) => closed).length;
  await expect.poll(countClosed).toBeGreaterThan(0);
  expect(countClosed()).toBeLessThan(count);
  expect((await service.client.get('/v1/pets')).status).toBe(200);
});

test('clients that never end their bodies are refused, and not the others', async () => {
  const count = MAX_HELD_BYTES / BODY_BYTES;
  const head = `Host: a\r\nAuthorization: Bearer ${service.client.key ?? ''}\r\nContent-Type: application/json`;
  const held = await hold(
    count,
    `POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${' '.repeat(BODY_BYTES - 1)}`,
  );
  await expect.poll(() => held.every(({ writableLength }) => writableLength === 0)).toBe(true);
  for (let i = 0; i < 3; i++) {
    const pet = { name: 'x'.repeat(10_000), categoryId: 1 };
    expect((await service.client.post('/v1/pets', pet)).status).toBe(201);
  }
  const [answer] = (await Promise.race(held.map((socket) => once(socket.resume(), 'data')))) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1[^]*"code":"unavailable"/);
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
