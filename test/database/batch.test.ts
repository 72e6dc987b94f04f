import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { Batch, type BatchOptions } from '#src/database/batch';
import { Database } from '#src/database/database';
import { recordError } from '#src/database/database-unavailable';
import type { Transaction } from '#src/database/transaction';
import { Unavailable } from '#src/domain/errors';

import { onPostgres } from '../support/database.ts';
import { startServiceForTest } from '../support/service.ts';

test('items that arrive during a run wait for the next one, which takes all of them', async () => {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const batch = new Batch('test', async (items: number[]) => {
    runs.push(items);
    await new Promise<void>((resolve) => gates.push(resolve));
    return items.map((item) => item * 10);
  });
  const first = batch.add(1);
  await expect.poll(() => gates.length).toBe(1);
  const later = [batch.add(2), batch.add(3)];
  expect(runs).toEqual([[1]]);
  gates[0]?.();
  expect(await first).toBe(10);
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  expect(await Promise.all(later)).toEqual([20, 30]);
  expect(runs).toEqual([[1], [2, 3]]);
});

const oneTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1);

test('a few further runs find an item that the database rejects, and the others succeed', async () => {
  const runs: number[] = [];
  const batch = new Batch('test', (items: number[]) => {
    runs.push(items.length);
    return items.includes(100) ? Promise.reject(new Error('rejected')) : Promise.resolve(items);
  });
  const outcomes = await Promise.allSettled(oneTo(256).map((item) => batch.add(item)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(runs.length).toBeLessThan(20);
});

test('when the database goes away during these runs, all their items fail at once', async () => {
  const unavailable = recordError(new Error('connect'));
  const errors = [new Error('rejected'), unavailable, unavailable];
  const batch = new Batch('test', () => Promise.reject(errors.shift() ?? new Error('another run')));
  const outcomes = await Promise.allSettled(oneTo(40).map((item) => batch.add(item)));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unavailable });
});

const KIBI = 1024;

/** A batch of texts that records the lengths of its runs. The test ends each run. */
function batchOfTexts(options: BatchOptions<string> = {}) {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const run = async (texts: string[]) => {
    runs.push(texts.map(({ length }) => length));
    await new Promise<void>((resolve) => gates.push(resolve));
    return texts;
  };
  const batch = new Batch('test', run, options);
  const finish = async () => {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.();
  };
  return { runs, batch, finish };
}

test('a run takes no more than 1 Mi characters, and a longer item runs alone', async () => {
  const { runs, batch, finish } = batchOfTexts();
  const lengths = [1, 512, 511, 512, 512, 2000, 1, 2].map((kibi) => kibi * KIBI);
  const added = lengths.map((length) => batch.add('x'.repeat(length)));
  for (let run = 1; run <= 4; run++) await finish();
  expect((await Promise.all(added)).map(({ length }) => length)).toEqual(lengths);
  expect(runs.map((run) => run.map((length) => length / KIBI))).toEqual([
    [1, 512, 511],
    [512, 512],
    [2000],
    [1, 2],
  ]);
});

test('items are rejected while more than 8 Mi characters wait', async () => {
  const { runs, batch, finish } = batchOfTexts();
  const text = 'x'.repeat(KIBI * KIBI);
  const running = batch.add(text);
  await expect.poll(() => runs.length).toBe(1);
  const waiting = Array.from({ length: 9 }, () => batch.add(text));
  await expect(batch.add('x')).rejects.toBeInstanceOf(Unavailable);
  await finish();
  await running;
  await expect.poll(() => runs.length).toBe(2);
  const last = batch.add(text);
  for (let run = 2; run <= 11; run++) await finish();
  expect(await Promise.all([...waiting, last])).toHaveLength(10);
});

test('a run reads no more than 1,600 rows, and an item that reads more runs alone', async () => {
  const runs: number[][] = [];
  const run = (items: number[]) => {
    runs.push(items);
    return Promise.resolve(items);
  };
  const batch = new Batch('test', run, { rowsOf: (item) => item });
  await Promise.all([400, 1200, 1, 1600, 2000, 2].map((item) => batch.add(item)));
  expect(runs).toEqual([[400, 1200], [1], [1600], [2000], [2]]);
});

test('a run takes no more different items than its maximum', async () => {
  const { runs, batch, finish } = batchOfTexts({ maxItems: 1000 });
  const added = oneTo(1002).map(() => batch.add('x'));
  await finish();
  await finish();
  await Promise.all(added);
  expect(runs.map(({ length }) => length)).toEqual([1000, 2]);
});

test('equal items of a run share a result, and one that arrives during their run does not', async () => {
  const { runs, batch, finish } = batchOfTexts({ keyOf: (text) => text });
  const added = ['x', 'x', 'xx', 'x'].map((text, account) => batch.add(text, BigInt(account)));
  await expect.poll(() => runs).toEqual([[1, 2]]);
  added.push(batch.add('x'));
  await finish();
  await finish();
  expect(await Promise.all(added)).toEqual(['x', 'x', 'xx', 'x', 'x']);
  expect(runs).toEqual([[1, 2], [1]]);
});

test('accounts take turns, however many items of one wait', async () => {
  const { runs, batch, finish } = batchOfTexts({ rowsOf: () => 1600 });
  const add = (account: bigint, ...lengths: number[]) =>
    lengths.map((length) => batch.add('x'.repeat(length), account));
  const added = add(1n, 1, 2, 3, 4);
  await finish();
  added.push(...add(2n, 20, 21), ...add(3n, 30));
  for (let run = 2; run <= 7; run++) await finish();
  await Promise.all(added);
  expect(runs.flat()).toEqual([1, 2, 20, 30, 3, 21, 4]);
});

test('items beyond the maximum number of waiting items are rejected as unavailable', async () => {
  const batch = new Batch('test', () => new Promise<number[]>(() => undefined));
  const outcomes = Array.from({ length: 10_000 }, (_, item) =>
    batch.add(item).catch((error: unknown) => error),
  );
  await expect(outcomes.at(-1)).resolves.toBeInstanceOf(Unavailable);
});

test('the texts of one account leave room for those of others', async () => {
  const batch = new Batch<string, string>('test', () => new Promise(() => undefined));
  const refused: bigint[] = [];
  for (const account of [1n, 1n, 1n, 1n, 1n, 1n, 1n, 2n, 2n]) {
    batch.add('x'.repeat(1024 ** 2), account).catch(() => refused.push(account));
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(refused).toEqual([1n, 1n]);
});

const work = (forMs: number) => () => new Promise<string>((resolve) => setTimeout(resolve, forMs, 'done'));

test('only so many transactions run at a time', async () => {
  const { app } = await startServiceForTest({ DATABASE_POOL_SIZE: '3' });
  // The embedded database has one connection, whatever the configuration.
  const limit = onPostgres() ? 2 : 1;
  const gate = Promise.withResolvers<undefined>();
  let [running, most] = [0, 0];
  const work = async (transaction: Transaction) => {
    most = Math.max(most, ++running);
    await gate.promise;
    await transaction.query({ name: 'pause', text: 'SELECT pg_sleep(0.01)' }, []);
    // Failed work releases its place, too.
    if (running-- % 2 === 0) throw new Error('no luck');
  };
  const works = oneTo(10).map(() => app.get(Database).transaction(work));
  await expect.poll(() => running).toBe(limit);
  gate.resolve(undefined);
  await Promise.allSettled(works);
  expect({ most, running }).toEqual({ most: limit, running: 0 });
});

test('work of accounts that waits for a connection takes turns, however much of one waits', async () => {
  // Work may use one connection of two. On Citus, a smaller pool is refused.
  const service = await startServiceForTest({ DATABASE_POOL_SIZE: '2' });
  const other = await service.clientOf('other');
  const database = service.app.get(Database);
  const gate = Promise.withResolvers<undefined>();
  const body = { name: 'a', categoryId: 1 };
  const send = (key: number) =>
    service.client.post('/v1/pets', body, { headers: { 'idempotency-key': String(key) } });
  // While the clock stands still, a key needs one look-up, and no work has waited for too long.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  await Promise.all([send(0), other.get('/account')]);
  const running = database.transaction(() => gate.promise);
  const ended: string[] = [];
  const note = (what: string, answer: Promise<unknown>) => answer.then(() => ended.push(what));
  const creates = oneTo(20).map((key) => note('create', send(key)));
  await expect.poll(() => database.load.waitingForTurn).toBe(20);
  const requests = ['/keys', '/v1/store/orders'].map((path) => note(path, other.get(path)));
  await expect.poll(() => database.load.waitingForTurn).toBe(22);
  gate.resolve(undefined);
  await Promise.all([running, ...creates, ...requests]);
  expect(ended.indexOf('/keys')).toBeLessThan(10);
  expect(ended.indexOf('/v1/store/orders')).toBeLessThan(10);
});

describe('under load, by a clock that the test advances', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout'] }));
  afterEach(() => vi.useRealTimers());

  /** Returns the outcome of each piece of work after a time, or undefined if it has none. */
  async function outcomesAfter(ms: number, added: Promise<unknown>[]) {
    const outcomes: (string | undefined)[] = added.map(() => undefined);
    added.forEach((each, index) => {
      each.then(
        () => (outcomes[index] = 'done'),
        (error: unknown) => (outcomes[index] = error instanceof Unavailable ? 'refused' : 'failed'),
      );
    });
    await vi.advanceTimersByTimeAsync(ms);
    return outcomes;
  }

  /** A batch whose first run takes a time, during which further items wait. */
  const slowFirst = (forMs: number, options: BatchOptions<number> = {}) => {
    const run = (items: number[]) => work(items[0] === 1 ? forMs : 10)().then(() => items);
    const batch = new Batch('test', run, options);
    const first = batch.add(1);
    return { batch, first };
  };

  test('work of an account is refused while other work of that account waits for more than a second', async () => {
    const { batch, first } = slowFirst(1900);
    await vi.advanceTimersByTimeAsync(1);
    const added = [first, batch.add(2, 1n)];
    await vi.advanceTimersByTimeAsync(900);
    added.push(batch.add(3, 1n));
    await vi.advanceTimersByTimeAsync(200);
    added.push(batch.add(4, 1n), batch.add(5, 2n));
    expect(await outcomesAfter(1000, added)).toEqual(['done', 'done', 'done', 'refused', 'done']);
    expect(await outcomesAfter(20, [batch.add(6, 1n)])).toEqual(['done']);
  });

  test('work that has waited for two seconds is refused, and an equal item does not share the refusal', async () => {
    const { batch, first } = slowFirst(5000, { keyOf: String });
    await vi.advanceTimersByTimeAsync(1);
    const added = [first, batch.add(2)];
    expect(await outcomesAfter(2001, added)).toEqual([undefined, 'refused']);
    expect(await outcomesAfter(3000, added)).toEqual(['done', 'refused']);
    expect(await outcomesAfter(20, [batch.add(2)])).toEqual(['done']);
  });

  test('many items that arrive together are all served, although each run is slow', async () => {
    const batch = new Batch('test', (items: number[]) => work(450)().then(() => items));
    const added = oneTo(500).map((item) => batch.add(item));
    expect(await outcomesAfter(1000, added)).toEqual(Array(500).fill('done'));
  });
});
