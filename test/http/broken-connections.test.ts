import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { beforeAll, expect, test } from 'vitest';

import { sendRaw } from '../support/raw-request.ts';
import { useService } from '../support/service.ts';

const service = useService();
let headers: string;
beforeAll(() => {
  headers = `Host: a\r\nAuthorization: Bearer ${service.client.key ?? ''}\r\n`;
});

/** Opens a connection whose client never closes its side, even after the service has closed the other side. */
async function openForGood(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Returns all data that the service sends until it closes the connection. */
async function receive(request: string): Promise<string> {
  const socket = await openForGood();
  socket.write(request);
  let received = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) received += chunk.toString('latin1');
  socket.destroy();
  return received;
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('data that is not HTTP after a request ends the connection after the response to the request', async () => {
  const body = '{"name":"a","categoryId":1}';
  const post = `POST /v1/pets HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (const [request, status] of [
    [`GET /v1/pets HTTP/1.1\r\n${headers}\r\n`, 200],
    [post + body, 201],
  ] as const) {
    expect(statuses(await receive(`${request}no HTTP\r\n\r\n`))).toEqual([status]);
  }
});

test('a body that is interrupted by data that is not HTTP fails its own request', async () => {
  const request = `POST /v1/pets HTTP/1.1\r\n${headers}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  expect(statuses(await receive(`${request}5\r\n{"nam\r\nno chunk\r\n`))).toEqual([400]);
});

test('a client that never closes its side of a broken connection does not keep it open', async () => {
  const server = service.app.getHttpServer() as Server;
  const connections = () => promisify<number>((callback) => server.getConnections(callback))();
  const before = await connections();
  const sockets = await Promise.all(Array.from({ length: 20 }, openForGood));
  try {
    for (const socket of sockets) {
      socket.on('error', () => undefined).resume();
      socket.write('no HTTP\r\n\r\n');
    }
    await Promise.all(sockets.map((socket) => once(socket, 'end')));
    await expect.poll(connections).toBeLessThan(before + 5);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('endless data that is not HTTP gets one response, and no warning is logged', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const socket = await openForGood();
  const ended = new Promise<void>((resolve) => {
    // A write after the end can fail.
    socket.once('end', resolve).once('close', () => resolve());
  });
  let received = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.write(`GET /v1/pets HTTP/1.1\r\n${headers}\r\n`);
  for (let i = 0; i < 50; i++) {
    socket.write('no HTTP\r\n\r\n');
    await sleep(1);
  }
  await ended;
  socket.destroy();
  process.off('warning', note);
  expect(statuses(received).length).toBeLessThanOrEqual(2);
  expect(warnings).toEqual([]);
});

test.each(['POST /v1/pets', 'DELETE /v1/pets', 'GET /v1/pets', 'GET /docs/style.css', 'POST /none'])(
  'a response before the end of the body closes the connection, which a proxy could reuse too early: %s',
  async (request) => {
    for (const more of [headers, 'Host: a\r\n']) {
      const length = 'Content-Type: text/plain\r\nContent-Length: 1000\r\n';
      const answer = await sendRaw(service.url, `${request} HTTP/1.1\r\n${more}${length}\r\nx`);
      expect(answer.headers.get('connection')).toBe('close');
    }
  },
);

test('an early response to a body that has arrived leaves the connection open', async () => {
  const length = 'Host: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
  const answer = await sendRaw(service.url, `POST /v1/pets HTTP/1.1\r\n${length}\r\n{}`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'keep-alive']);
});

test('a request with Upgrade closes the connection, so that no later request is lost on it', async () => {
  const upgrade = `GET /v1/pets HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  const answer = await sendRaw(service.url, `${upgrade}GET /v1/pets HTTP/1.1\r\n${headers}\r\n`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
});

test.each([
  ['keep-alive', 'Connection: keep-alive'],
  ['Connection: close', 'Connection: close'],
  ['an upgrade', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__'],
])('a client that sends a long body with %s can read the early response', async (_what, header) => {
  const body = Buffer.alloc(5_000_000, 'x');
  const type = 'Content-Type: application/json';
  for (const [status, more] of [
    [401, 'Host: a\r\n'],
    [413, headers],
  ] as const) {
    const socket = (await openForGood()).pause();
    const written = once(socket, 'finish');
    socket.write(
      `POST /v1/pets HTTP/1.1\r\n${more}${type}\r\n${header}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.end(body);
    await written;
    let received = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) received += chunk.toString('latin1');
    expect(statuses(received)).toEqual([status]);
  }
});
