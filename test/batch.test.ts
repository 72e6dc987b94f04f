import { expect, test } from 'vitest';

import { Batch } from '#src/database/batch';
import { Database } from '#src/database/database';
import { Unavailable } from '#src/domain/domain-error';

import { startServiceForTest } from './support/service.ts';

test('what arrives during a run waits for the next one, which takes all of it', async () => {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const batch = new Batch(async (items: number[]) => {
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

test('one that the database refuses does not fail its neighbours', async () => {
  const service = await startServiceForTest();
  const database = service.app.get(Database);
  const quotients = { name: 'quotients', text: 'SELECT 60 / unnest($1::int[]) AS quotient' };
  const batch = new Batch(async (divisors: number[]) =>
    (await database.query<{ quotient: number }>(quotients, [divisors])).map(({ quotient }) => quotient),
  );
  const outcomes = await Promise.allSettled([1, 0, 3].map((divisor) => batch.add(divisor)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[2]).toMatchObject({ value: 20 });
});

test('more than can wait is refused at once as unavailable', async () => {
  const batch = new Batch(() => new Promise<number[]>(() => undefined));
  const outcomes = Array.from({ length: 10_000 }, (_, item) =>
    batch.add(item).catch((error: unknown) => error),
  );
  await expect(outcomes.at(-1)).resolves.toBeInstanceOf(Unavailable);
});
