import { expect, test } from 'vitest';

import { startServiceForTest } from './support/service.ts';

test('small buffers of a service are cut from pieces of 8 KiB', async () => {
  await startServiceForTest();
  const cut = Array.from({ length: 1000 }, () => Buffer.allocUnsafe(100));
  // The first ones are from what is left of a piece that Node made when it started.
  const sizes = cut.slice(-100).map(({ buffer }) => buffer.byteLength);
  expect(new Set(sizes)).toEqual(new Set([8192]));
});
