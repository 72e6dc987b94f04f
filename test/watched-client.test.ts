import { expect, test } from 'vitest';

import { isDatabaseUnavailable } from '#src/database/database-unavailable';
import { Transaction } from '#src/database/transaction';

import { message, poolFor } from './support/scripted-server.ts';

const SENDING = { answerTimeoutMs: 500, isPrepared: true, begin: 'BEGIN' };

const DONE = Buffer.concat([message('C', 'BEGIN\0'), message('Z', 'T')]);
const REFUSED = message('E', 'SERROR\0C23505\0Mdouble\0\0');

const STATEMENT = { text: 'SELECT 1', answerTimeoutMs: 500 };

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
