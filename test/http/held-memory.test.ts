import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';

import { Controller, Get, Module, VERSION_NEUTRAL } from '@nestjs/common';
import { afterEach, beforeAll, afterAll, expect, test } from 'vitest';

import { Public } from '#src/auth/callers/caller.decorator';
import { MAX_RECEIVED_BYTES, MAX_UNSENT_BYTES } from '#src/limits';

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
}

@Module({ controllers: [LongController] })
class LongModule {}

let service: Service;
beforeAll(async () => {
  service = await startService({}, [...FEATURES, LongModule]);
});
afterAll(() => service.stop());

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

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

test('clients that never end their bodies are refused, and not the others', async () => {
  const count = MAX_RECEIVED_BYTES / BODY_BYTES;
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
  const count = (4 * MAX_UNSENT_BYTES) / LONG_TEXT.length;
  await hold(count, 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
  const server = service.app.getHttpServer() as Server;
  const countOpen = () => promisify(server.getConnections.bind(server))();
  await expect.poll(countOpen).toBeLessThan(count);
  // The others may still read.
  expect(await countOpen()).toBeGreaterThan(1);
  expect((await service.client.get('/v1/pets')).status).toBe(200);
});
