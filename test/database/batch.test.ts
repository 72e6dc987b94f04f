import { afterEach, expect, test, vi } from 'vitest';

import { Batch } from '#src/database/batch';
import { Database } from '#src/database/database';
import { Unavailable } from '#src/domain/domain-error';

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

test('items that are added together run together', async () => {
  const runs: number[][] = [];
  const batch = new Batch('test', (items: number[]) => {
    runs.push(items);
    return Promise.resolve(items);
  });
  await Promise.all([batch.add(1), batch.add(2)]);
  await Promise.all([batch.add(3), batch.add(4)]);
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('an item that the database rejects does not affect the other items of its run', async () => {
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

const oneTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1);

test('a few further runs find an item that the database rejects', async () => {
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
  const unavailable = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const errors = [new Error('rejected'), unavailable, unavailable];
  const batch = new Batch('test', () => Promise.reject(errors.shift() ?? new Error('another run')));
  const outcomes = await Promise.allSettled(oneTo(40).map((item) => batch.add(item)));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unavailable });
});

const KIBI = 1024;

/** A batch of texts that records the lengths of its runs. The test ends each run. */
function batchOfTexts() {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const run = async (texts: string[]) => {
    runs.push(texts.map(({ length }) => length));
    await new Promise<void>((resolve) => gates.push(resolve));
    return texts;
  };
  const batch = new Batch('test', run, { charactersOf: ({ length }: string) => length });
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

test('items are rejected while more than 16 Mi characters wait', async () => {
  const { runs, batch, finish } = batchOfTexts();
  const text = 'x'.repeat(KIBI * KIBI);
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

test('a batch with a limit of its own gets no more items than the limit allows', async () => {
  const runs: number[][] = [];
  const run = (items: number[]) => {
    runs.push(items);
    return Promise.resolve(items);
  };
  const batch = new Batch('test', run, { countForRun: (items) => Math.min(items.length, 2) });
  await Promise.all([1, 2, 3, 4, 5].map((item) => batch.add(item)));
  expect(runs).toEqual([[1, 2], [3, 4], [5]]);
});

test('a run takes an item that exceeds the limit of the batch', async () => {
  const runs: number[][] = [];
  const run = (items: number[]) => {
    runs.push(items);
    return Promise.resolve(items);
  };
  const batch = new Batch('test', run, { countForRun: () => 0 });
  await Promise.all([batch.add(1), batch.add(2)]);
  expect(runs).toEqual([[1], [2]]);
});

test('items beyond the maximum number of waiting items are rejected as unavailable', async () => {
  const batch = new Batch('test', () => new Promise<number[]>(() => undefined));
  const outcomes = Array.from({ length: 10_000 }, (_, item) =>
    batch.add(item).catch((error: unknown) => error),
  );
  await expect(outcomes.at(-1)).resolves.toBeInstanceOf(Unavailable);
});

test('a run can succeed for one item and fail for another', async () => {
  const batch = new Batch<number, number>('test', (items) =>
    Promise.resolve(
      items.map((item) => (item === 2 ? Promise.reject(new Error('no two')) : Promise.resolve(item))),
    ),
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batch.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

/** A batch whose runs take time by a fake clock. Its first runs have ended. */
async function warmBatch(runMs: () => number): Promise<Batch<number, number>> {
  vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout'] });
  const batch = new Batch('test', async (items: number[]) => {
    await new Promise((resolve) => setTimeout(resolve, runMs()));
    return items;
  });
  for (let run = 0; run < 40; run++) {
    const added = batch.add(run);
    await vi.advanceTimersByTimeAsync(runMs() + 1);
    await added;
  }
  return batch;
}

afterEach(() => vi.useRealTimers());

test('items whose expected wait is too long are rejected at once, and the others are served in time', async () => {
  const batch = await warmBatch(() => 200);
  const running = batch.add(-1);
  await vi.advanceTimersByTimeAsync(1);
  const rejected: number[] = [];
  const answered: number[] = [];
  for (let item = 0; item < 2000; item++) {
    batch.add(item).then(
      () => answered.push(item),
      (error: unknown) => {
        expect(error).toBeInstanceOf(Unavailable);
        rejected.push(item);
      },
    );
  }
  await vi.advanceTimersByTimeAsync(0);
  // Two runs of 256 items can start within 500 ms.
  expect(rejected).toHaveLength(2000 - 2 * 256);
  await vi.advanceTimersByTimeAsync(700);
  await running;
  expect(answered).toEqual(Array.from({ length: 2 * 256 }, (_, item) => item));
});

test('while a run hangs, new items are rejected at once, and waiting ones after two seconds', async () => {
  let runMs = 1;
  const batch = await warmBatch(() => runMs);
  runMs = 4000;
  const outcomes: string[] = [];
  const add = (name: string) => {
    batch.add(0).then(
      () => outcomes.push(`${name} answered`),
      () => outcomes.push(`${name} rejected`),
    );
  };
  add('hanging');
  await vi.advanceTimersByTimeAsync(100);
  add('early');
  await vi.advanceTimersByTimeAsync(1950);
  expect(outcomes).toEqual([]);
  add('late');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toEqual(['late rejected']);
  await vi.advanceTimersByTimeAsync(100);
  expect(outcomes).toEqual(['late rejected', 'early rejected']);
  runMs = 1;
  await vi.advanceTimersByTimeAsync(2000);
  expect(outcomes.at(-1)).toBe('hanging answered');
  add('next');
  await vi.advanceTimersByTimeAsync(10);
  expect(outcomes.at(-1)).toBe('next answered');
});

/** Adds items at the same time, and returns their outcomes after the time. */
async function addTogether(batch: Batch<number, number>, count: number, forMs: number) {
  const added = Promise.allSettled(Array.from({ length: count }, (_, item) => batch.add(item)));
  await vi.advanceTimersByTimeAsync(forMs);
  return (await added).map(({ status }) => status);
}

test('items that arrive together are all answered at once, although the last runs were slow', async () => {
  const batch = await warmBatch(() => 2000);
  expect(await addTogether(batch, 20, 2010)).toEqual(Array(20).fill('fulfilled'));
});

test('slow runs do not cause rejections after a pause', async () => {
  let runMs = 2000;
  const batch = await warmBatch(() => runMs);
  runMs = 50;
  await vi.advanceTimersByTimeAsync(60_000);
  const first = batch.add(-1);
  await vi.advanceTimersByTimeAsync(10);
  expect(await addTogether(batch, 300, 150)).toEqual(Array(300).fill('fulfilled'));
  expect(await first).toBe(-1);
});
