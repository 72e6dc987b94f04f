import { expect, test } from 'vitest';

import { keepTick } from '#src/kept-tick';

test('what is kept is one of the objects of Node’s ticks, and always the same', async () => {
  const kept = await keepTick();
  expect(Object.keys(kept)).toEqual(['callback', 'args']);
  expect(await keepTick()).toBe(kept);
});
