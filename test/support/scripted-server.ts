import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

import { BoundedPool } from '#src/database/pool/bounded-pool';

/** A message of PostgreSQL's protocol. */
export function message(type: string, body: Buffer | string): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The message that holds a row of these values. */
export function dataRow(...values: (Buffer | string | null)[]): Buffer {
  const fields = values.flatMap((value) =>
    value === null ? int32(-1) : [int32(Buffer.byteLength(value)), Buffer.from(value)],
  );
  return message('D', Buffer.concat([int16(values.length), ...fields]));
}

const WELCOME = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);

/** A pool for a server that says this, piece by piece, whenever it hears something, and then nothing any more. */
export async function poolFor(...answers: Buffer[]): Promise<BoundedPool> {
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
  const pool = new BoundedPool({ host: '127.0.0.1', port, user: 'a', database: 'a', max: 1 });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return pool;
}
