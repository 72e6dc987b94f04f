import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer | string): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const WELCOME = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);

/** Creates a pool for a server that sends these responses, one per received message, and then nothing. */
export async function poolFor(...answers: Buffer[]): Promise<pg.Pool> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    const left = [WELCOME, ...answers];
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const answer = left.shift();
      if (answer) socket.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'a', database: 'a', max: 1 });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return pool;
}
