import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Bulkhead } from '#src/database/pool/bulkhead';
import { Unavailable } from '#src/domain/domain-error';

// A clock that the test moves.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => vi.useRealTimers());

const work = (forMs: number) => () => new Promise<void>((resolve) => setTimeout(resolve, forMs));

/** Tries each piece of work, and notes which were done and which refused, and when, in the order of their ends. */
function tryAll(bulkhead: Bulkhead, count: number, forMs: number) {
  const ends: { number: number; outcome: 'done' | 'refused'; afterMs: number }[] = [];
  const begunAt = performance.now();
  for (let number = 0; number < count; number++) {
    const end = (outcome: 'done' | 'refused') =>
      ends.push({ number, outcome, afterMs: performance.now() - begunAt });
    bulkhead.run(work(forMs)).then(
      () => end('done'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(Unavailable);
        end('refused');
      },
    );
  }
  return {
    ends,
    numbers: (outcome: string) => ends.filter((end) => end.outcome === outcome).map(({ number }) => number),
  };
}

test('so much is done at a time, and the rest in its turn', async () => {
  const bulkhead = new Bulkhead(2);
  let [running, most] = [0, 0];
  const begun: number[] = [];
  const runs = Array.from({ length: 10 }, (_, number) =>
    bulkhead.run(async () => {
      begun.push(number);
      most = Math.max(most, ++running);
      await work(10)();
      running--;
      return number;
    }),
  );
  await vi.advanceTimersByTimeAsync(50);
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(2);
});

test('work that fails makes room for the next', async () => {
  const bulkhead = new Bulkhead(1);
  const failing = bulkhead.run(() => Promise.reject(new Error('no luck')));
  const next = bulkhead.run(() => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('done');
});

test('a thousand that come at once and are done quickly are all done', async () => {
  const { numbers } = tryAll(new Bulkhead(4), 1000, 1);
  await vi.advanceTimersByTimeAsync(250);
  expect(numbers('done')).toHaveLength(1000);
});

test('until the first work has ended, which is when there are connections, all wait', async () => {
  const bulkhead = new Bulkhead(1);
  const first = bulkhead.run(work(2000));
  const { numbers } = tryAll(bulkhead, 10, 10);
  await vi.advanceTimersByTimeAsync(1500);
  const last = bulkhead.run(work(10));
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all([first, last]);
  expect(numbers('done')).toHaveLength(10);
});

/** A bulkhead whose first work has ended. */
async function warmBulkhead(size: number): Promise<Bulkhead> {
  const bulkhead = new Bulkhead(size);
  await bulkhead.run(() => Promise.resolve());
  return bulkhead;
}

test('what has waited for 900 ms is refused', async () => {
  const { ends, numbers } = tryAll(await warmBulkhead(2), 30, 100);
  await vi.advanceTimersByTimeAsync(1000);
  expect(numbers('done')).toEqual(Array.from({ length: 18 }, (_, number) => number));
  expect(numbers('refused')).toHaveLength(12);
  for (const { afterMs } of ends) expect(afterMs).toBeLessThanOrEqual(900);
});

test('by the pace of late, what would wait too long is refused when it comes', async () => {
  const bulkhead = new Bulkhead(2);
  for (let round = 0; round < 5; round++) {
    tryAll(bulkhead, 12, 100);
    await vi.advanceTimersByTimeAsync(1000);
  }
  const { ends, numbers } = tryAll(bulkhead, 100, 100);
  await vi.advanceTimersByTimeAsync(0);
  expect(numbers('refused').length).toBeGreaterThan(80);
  const refusedAtOnce = numbers('refused').length;
  await vi.advanceTimersByTimeAsync(1000);
  expect(numbers('done').length).toBeGreaterThanOrEqual(10);
  expect(numbers('refused')).toHaveLength(refusedAtOnce);
  for (const { afterMs } of ends) expect(afterMs).toBeLessThanOrEqual(700);
});

test('while nothing ends, what comes is refused at once, and is taken again when it goes on', async () => {
  const bulkhead = await warmBulkhead(1);
  const hanging = bulkhead.run(work(2000));
  await vi.advanceTimersByTimeAsync(800);
  await expect(bulkhead.run(work(1))).rejects.toBeInstanceOf(Unavailable);
  await vi.advanceTimersByTimeAsync(1200);
  await hanging;
  const { numbers } = tryAll(bulkhead, 2, 10);
  await vi.advanceTimersByTimeAsync(20);
  expect(numbers('done')).toEqual([0, 1]);
});
