import { configDefaults, defineConfig } from 'vitest/config';

/** The tests of what does not depend on the database. They run on the embedded one only. */
const WITHOUT_POSTGRES = [
  'test/clients/**',
  ...[
    'docker',
    'document',
    'documentation',
    'embedded-database',
    'explorer',
    'fields',
    'newcomer',
    'public-api',
  ],
  ...['architecture', 'configuration', 'regular-expressions', 'testing'],
].map((name) => (name.includes('/') ? name : `test/${name}.test.ts`));

// The tests import the service by `#src/…`: its types from src, and its code from what `npm run build`
// made of it, so that what is tested is what is served.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They have a configuration of their own.
    exclude: [
      ...configDefaults.exclude,
      ...['test/faults/**', 'test/cluster/**', 'test/extension/**'],
      ...(process.env['TEST_DATABASE_URL'] === undefined ? [] : WITHOUT_POSTGRES),
    ],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // Vitest leaves one core to itself, of which it needs little.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    server: { deps: { external: [/\/dist\//] } },
  },
});
