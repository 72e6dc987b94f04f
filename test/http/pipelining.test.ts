import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { Connections } from '#src/http/connections/connections';

import { startService } from '../support/service.ts';

/** Sends requests for /0, /1 and so on in one piece. Returns the received text when it ends with `end`. */
async function pipeline(port: number, count: number, end: RegExp): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const requests = Array.from(
    { length: count },
    (_, index) => `GET /v1/pets/${index} HTTP/1.1\r\nHost: a\r\n\r\n`,
  );
  socket.write(requests.join(''));
  let received = '';
  for await (const piece of socket as AsyncIterable<Buffer>) {
    received += piece.toString();
    if (end.test(received)) break;
  }
  return received;
}

test('few pipelined requests of a connection are handled at a time, and all are answered in order', async () => {
  const server = createServer();
  const connections = new Connections(server, readConfig({}));
  let [handled, mostHandled] = [0, 0];
  const listener = connections.limit((request, response) => {
    mostHandled = Math.max(mostHandled, ++handled);
    response.once('close', () => handled--);
    setImmediate(() => response.end(request.url));
  });
  server.on('request', listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const received = await pipeline(port, 5000, /\/v1\/pets\/4999$/);
  expect([...received.matchAll(/^\/v1\/pets\/(\d+)/gm)].map(([, index]) => Number(index))).toEqual(
    Array.from({ length: 5000 }, (_, index) => index),
  );
  expect(mostHandled).toBeGreaterThan(1);
  expect(mostHandled).toBeLessThan(20);
  expect(connections.haveRequests).toBe(false);
});

test('a service stops even if a client has closed its connection before all its requests were answered', async () => {
  const service = await startService();
  const { client } = service;
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const headers = `Host: a\r\nAuthorization: Bearer ${client.key ?? ''}\r\n`;
  socket.write(`GET /v1/pets HTTP/1.1\r\n${headers}\r\n`.repeat(1000));
  await once(socket, 'data');
  socket.destroy();
  expect((await client.get('/v1/pets')).status).toBe(200);
  await service.stop();
});
