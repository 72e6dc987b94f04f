import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

const isQuick = process.env['FAULTS'] === 'quick';

/**
 * The scenarios that measure times or memory. They run one after the other, so that none affects another. In the short
 * form, all but the first run beside others, and their bounds on memory are wide.
 */
const MEASURED = `hostile-requests${isQuick ? '' : '|overload|bounds|hostile-strangers'}`;

export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // One more than there are cores, because many tests wait for a time.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share the imported modules, because the import takes about a second.
    isolate: false,
    // A hundred stops take nine minutes on a quiet machine. Each step of these tests has a timeout of its own.
    testTimeout: isQuick ? 600_000 : 3_600_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'loss',
          exclude: [`test/faults/@(${MEASURED}).test.ts`],
          // The full form measures these scenarios, too.
          fileParallelism: isQuick,
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
