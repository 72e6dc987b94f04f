import { configDefaults, defineConfig } from 'vitest/config';

// The tests import the service by `#src/…`: its types from src, and its code from what `npm run build`
// made of it, so that what is tested is what is served.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They have a configuration of their own.
    exclude: [...configDefaults.exclude, 'test/{faults,cluster,citus,extension}/**'],
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
