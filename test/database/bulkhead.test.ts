import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Bulkhead } from '#src/database/pool/bulkhead';
import { Unavailable } from '#src/domain/domain-error';

// A clock that the test advances.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout'] }));
afterEach(() => vi.useRealTimers());

const work = (forMs: number) => () => new Promise<void>((resolve) => setTimeout(resolve, forMs));

/** Runs pieces of work, and records when each was done or rejected, in the order of their ends. */
function tryAll(bulkhead: Bulkhead, count: number, forMs: number) {
  const ends: { number: number; outcome: 'done' | 'rejected'; afterMs: number }[] = [];
  const begunAt = performance.now();
  for (let number = 0; number < count; number++) {
    const end = (outcome: 'done' | 'rejected') =>
      ends.push({ number, outcome, afterMs: performance.now() - begunAt });
    bulkhead.run(work(forMs)).then(
      () => end('done'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(Unavailable);
        end('rejected');
      },
    );
  }
  return {
    ends,
    numbers: (outcome: string) => ends.filter((end) => end.outcome === outcome).map(({ number }) => number),
  };
}

test('the number of concurrent pieces of work is limited, and the others run in order', async () => {
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

test('failed work releases its slot', async () => {
  const bulkhead = new Bulkhead(1);
  const failing = bulkhead.run(() => Promise.reject(new Error('no luck')));
  const next = bulkhead.run(() => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('done');
});

test('a thousand short pieces of work are all done', async () => {
  const { numbers } = tryAll(new Bulkhead(4), 1000, 1);
  await vi.advanceTimersByTimeAsync(250);
  expect(numbers('done')).toHaveLength(1000);
});

test('until the first work has ended, all work waits, because connections are still being opened', async () => {
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

test('work that has waited for two seconds is rejected', async () => {
  const { ends, numbers } = tryAll(await warmBulkhead(2), 60, 100);
  await vi.advanceTimersByTimeAsync(2100);
  expect(numbers('done')).toEqual(Array.from({ length: 40 }, (_, number) => number));
  expect(numbers('rejected')).toHaveLength(20);
  for (const { afterMs } of ends) expect(afterMs).toBeLessThanOrEqual(2000);
});

test('work whose expected wait is too long is rejected at once', async () => {
  const bulkhead = new Bulkhead(2);
  for (let round = 0; round < 5; round++) {
    tryAll(bulkhead, 12, 100);
    await vi.advanceTimersByTimeAsync(1000);
  }
  const { ends, numbers } = tryAll(bulkhead, 100, 100);
  await vi.advanceTimersByTimeAsync(0);
  expect(numbers('rejected').length).toBeGreaterThan(80);
  const rejectedAtOnce = numbers('rejected').length;
  await vi.advanceTimersByTimeAsync(1000);
  expect(numbers('done').length).toBeGreaterThanOrEqual(10);
  expect(numbers('rejected')).toHaveLength(rejectedAtOnce);
  for (const { afterMs } of ends) expect(afterMs).toBeLessThanOrEqual(700);
});

test('while no work ends, new work is rejected at once, and accepted again afterwards', async () => {
  const bulkhead = await warmBulkhead(1);
  const hanging = bulkhead.run(work(4000));
  await vi.advanceTimersByTimeAsync(2100);
  await expect(bulkhead.run(work(1))).rejects.toBeInstanceOf(Unavailable);
  await vi.advanceTimersByTimeAsync(1900);
  await hanging;
  const { numbers } = tryAll(bulkhead, 2, 10);
  await vi.advanceTimersByTimeAsync(20);
  expect(numbers('done')).toEqual([0, 1]);
});
