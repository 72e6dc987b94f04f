import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { BoundedPool } from '#src/database/bounded-pool';
import { isDatabaseUnavailable } from '#src/database/database-unavailable';
import { Transaction } from '#src/database/transaction';

const SENDING = { answerTimeoutMs: 100, isPrepared: true, begin: 'BEGIN' };

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer | string): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const WELCOME = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);
const DONE = Buffer.concat([message('C', 'BEGIN\0'), message('Z', 'T')]);
const REFUSED = message('E', 'SERROR\0C23505\0Mdouble\0\0');

/** A pool for a server that says this, piece by piece, whenever it hears something, and then nothing any more. */
async function poolFor(...answers: Buffer[]): Promise<BoundedPool> {
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

const STATEMENT = { text: 'SELECT 1', answerTimeoutMs: 100 };

/** What came of something, as soon as it is over. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a statement that is never answered fails, and its connection is closed', async () => {
  const pool = await poolFor();
  expect(isDatabaseUnavailable(await errorOf(pool.query(STATEMENT)))).toBe(true);
  expect(pool.totalCount).toBe(0);
});

test('a transaction fails when the server falls silent after half an answer, and its connection is closed', async () => {
  const pool = await poolFor(DONE, REFUSED);
  const work = (transaction: Transaction) => transaction.query({ name: 'one', text: 'SELECT $1' }, ['1']);
  expect(await errorOf(Transaction.run(pool, SENDING, work))).toMatchObject({ code: '23505' });
  await expect.poll(() => pool.totalCount).toBe(0);
});

test('of two statements that were sent, the one that is not answered fails too', async () => {
  const pool = await poolFor(DONE);
  const client = await pool.connect();
  client.on('error', () => undefined);
  const [first, second] = await Promise.all([
    errorOf(client.query(STATEMENT)),
    errorOf(client.query(STATEMENT)),
  ]);
  expect(first).toBeUndefined();
  expect(isDatabaseUnavailable(second)).toBe(true);
  client.release(true);
});
