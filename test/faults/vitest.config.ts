import { defineConfig } from 'vitest/config';

// The scenarios run one after the other, so that none affects the measurements of another.
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
