import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

// Runs the stack of docker/compose.yaml. A minute is not enough for a build of the image.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/compose/*.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
  },
});
