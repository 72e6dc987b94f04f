import { defineConfig } from 'vitest/config';

// One scenario after the other, so that each has the machine to itself.
export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
