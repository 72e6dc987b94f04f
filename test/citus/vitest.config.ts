import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/citus/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
