import { availableParallelism } from 'node:os';

import { configDefaults, defineConfig } from 'vitest/config';

/** The tests that do not depend on the kind of database, or start one themselves. They run in the default run only. */
const WITHOUT_POSTGRES = [
  'test/{clients,http,nest,pages,project}/**',
  'test/auth/{bearer-keys,rate-limit}.test.ts',
  'test/database/{connections,embedded-database,failover,pgbouncer,read-replicas}.test.ts',
  'test/operations/generated-requests.test.ts',
  'test/operator/{configuration,docker,import-files,import-formats,logs,metrics,stop,tracing,usage,webhook}.test.ts',
  'test/service/errors.test.ts',
];

// The tests import the service by `#src/…`: its types from src, and its code from the build, so that they test the code
// that is served.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These tests have separate configurations.
    exclude: [
      ...configDefaults.exclude,
      'test/{faults,cluster,citus,compose,extension}/**',
      ...(process.env['TEST_DATABASE_URL'] === undefined ? [] : WITHOUT_POSTGRES),
    ],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // One more than there are cores, because many tests wait for a process or a time.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share the imported modules, because the import takes about a second.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    server: { deps: { external: [/\/dist\//] } },
  },
});
