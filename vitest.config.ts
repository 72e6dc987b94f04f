import { defineConfig } from 'vitest/config';

// The tests import the service by `#src/…`: its types from src, and its code from what `npm run build`
// made of it, so that what is tested is what is served.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    server: { deps: { external: [/\/dist\//] } },
  },
});
