import { defineConfig } from 'vitest/config';

/** The scenarios that measure times or memory. They run one after the other, so that none affects another. */
const MEASURED = 'bounds|overload|hostile-*';

export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 60_000,
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'loss',
          exclude: [`test/faults/@(${MEASURED}).test.ts`],
          // The full form measures these scenarios, too.
          fileParallelism: process.env['FAULTS'] === 'quick',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'measured',
          exclude: [`test/faults/!(${MEASURED}).test.ts`],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
