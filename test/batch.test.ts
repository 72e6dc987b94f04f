import { afterEach, expect, test, vi } from 'vitest';

import { Batch } from '#src/database/batch';
import { Database } from '#src/database/database';
import { Unavailable } from '#src/domain/domain-error';

import { startServiceForTest } from './support/service.ts';

test('what arrives during a run waits for the next one, which takes all of it', async () => {
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

/** A batch that answers at once, and tells its runs. */
function promptBatch() {
  const runs: number[][] = [];
  const batch = new Batch('test', (items: number[]) => {
    runs.push(items);
    return Promise.resolve(items);
  });
  const answered = async (...items: number[]) => {
    await Promise.all(items.map((item) => batch.add(item)));
    await new Promise(setImmediate);
  };
  return { runs, batch, answered };
}

test('what comes alone after what came alone starts at once, and what comes together runs together', async () => {
  const { runs, batch, answered } = promptBatch();
  await answered(1);
  const alone = batch.add(2);
  expect(runs).toEqual([[1], [2]]);
  await alone;
  await answered(3, 4);
  await answered(5, 6);
  expect(runs.slice(-1)).toEqual([[5, 6]]);
});

test('after eight that came alone, the next waits for what comes along with it', async () => {
  const { runs, answered } = promptBatch();
  for (let item = 1; item <= 8; item++) await answered(item);
  await answered(9, 10);
  expect(runs).toEqual([[1], [2], [3], [4], [5], [6], [7], [8], [9, 10]]);
});

test('one that the database refuses does not fail its neighbours', async () => {
  const service = await startServiceForTest();
  const database = service.app.get(Database);
  const quotients = { name: 'quotients', text: 'SELECT 60 / unnest($1::int[]) AS quotient' };
  const batch = new Batch('test', async (divisors: number[]) =>
    (await database.query<{ quotient: number }>(quotients, [divisors])).map(({ quotient }) => quotient),
  );
  const outcomes = await Promise.allSettled([1, 0, 3].map((divisor) => batch.add(divisor)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[2]).toMatchObject({ value: 20 });
});

const MEBI = 1024 ** 2;

/** A batch of texts, which tells the lengths of each run, and runs on when told. */
function batchOfTexts() {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const batch = new Batch(
    'test',
    async (texts: string[]) => {
      runs.push(texts.map(({ length }) => length));
      await new Promise<void>((resolve) => gates.push(resolve));
      return texts;
    },
    ({ length }) => length,
  );
  const finish = async () => {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.();
  };
  return { runs, batch, finish };
}

test('a run takes no more than 4 Mi characters, and one item that is larger alone', async () => {
  const { runs, batch, finish } = batchOfTexts();
  const sizes = [1, MEBI, MEBI, 3 * MEBI, MEBI, 5 * MEBI, 1, 2];
  const added = sizes.map((size) => batch.add('x'.repeat(size)));
  for (let run = 1; run <= 4; run++) await finish();
  expect((await Promise.all(added)).map(({ length }) => length)).toEqual(sizes);
  expect(runs).toEqual([[1, MEBI, MEBI], [3 * MEBI, MEBI], [5 * MEBI], [1, 2]]);
});

test('more characters than can wait are refused at once as unavailable, until there is room again', async () => {
  const { runs, batch, finish } = batchOfTexts();
  const text = 'x'.repeat(4 * MEBI);
  const running = batch.add(text);
  await expect.poll(() => runs.length).toBe(1);
  const waiting = Array.from({ length: 16 }, () => batch.add(text));
  await expect(batch.add('x')).rejects.toBeInstanceOf(Unavailable);
  await finish();
  await running;
  await expect.poll(() => runs.length).toBe(2);
  const last = batch.add(text);
  for (let run = 2; run <= 18; run++) await finish();
  expect(await Promise.all([...waiting, last])).toHaveLength(17);
});

test('more than can wait is refused at once as unavailable', async () => {
  const batch = new Batch('test', () => new Promise<number[]>(() => undefined));
  const outcomes = Array.from({ length: 10_000 }, (_, item) =>
    batch.add(item).catch((error: unknown) => error),
  );
  await expect(outcomes.at(-1)).resolves.toBeInstanceOf(Unavailable);
});

test('a run may answer one item, and fail another', async () => {
  const batch = new Batch<number, number>('test', (items) =>
    Promise.resolve(
      items.map((item) => (item === 2 ? Promise.reject(new Error('no two')) : Promise.resolve(item))),
    ),
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batch.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

/** A batch whose runs take some time by a clock that the test moves. */
function slowBatch(runMs: () => number): Batch<number, number> {
  vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout'] });
  return new Batch('test', async (items) => {
    await new Promise((resolve) => setTimeout(resolve, runMs()));
    return items;
  });
}

afterEach(() => vi.useRealTimers());

test('what would wait too long behind others is refused at once, and the rest is answered in time', async () => {
  const batch = slowBatch(() => 200);
  for (let run = 1; run <= 2; run++) {
    const warm = batch.add(0);
    await vi.advanceTimersByTimeAsync(300);
    expect(await warm).toBe(0);
  }
  const refused: number[] = [];
  const answered: number[] = [];
  for (let item = 0; item < 2000; item++) {
    batch.add(item).then(
      () => answered.push(item),
      (error: unknown) => {
        expect(error).toBeInstanceOf(Unavailable);
        refused.push(item);
      },
    );
  }
  await vi.advanceTimersByTimeAsync(0);
  // The first starts at once, alone, as those before it were.
  const taken = 1 + 2 * 256;
  expect(refused).toHaveLength(2000 - taken);
  await vi.advanceTimersByTimeAsync(700);
  expect(answered).toEqual(Array.from({ length: taken }, (_, item) => item));
});

test('while a run hangs, what comes is refused at once, and what came before is waiting its turn', async () => {
  let runMs = 3000;
  const batch = slowBatch(() => runMs);
  const outcomes: string[] = [];
  const add = (name: string) => {
    batch.add(0).then(
      () => outcomes.push(`${name} answered`),
      () => outcomes.push(`${name} refused`),
    );
  };
  add('hanging');
  await vi.advanceTimersByTimeAsync(100);
  add('early');
  await vi.advanceTimersByTimeAsync(2000);
  add('late');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toEqual(['late refused']);
  runMs = 1;
  await vi.advanceTimersByTimeAsync(1000);
  expect(outcomes).toEqual(['late refused', 'hanging answered', 'early answered']);
  add('next');
  await vi.advanceTimersByTimeAsync(10);
  expect(outcomes.at(-1)).toBe('next answered');
});
