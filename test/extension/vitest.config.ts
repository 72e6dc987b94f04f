import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

/** Tests of the service that only send requests. */
const BLACK_BOX = [
  'operations/*',
  ...['http/request-bodies', 'http/request-id', 'database/freshness', 'database/same-answers'],
];

// Tests the example of a team's application, and on it the operations of the package.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/extension/*.test.ts', ...BLACK_BOX.map((pattern) => `test/${pattern}.test.ts`)],
    exclude: configDefaults.exclude,
    globalSetup: ['test/support/global-setup.ts', 'test/extension/support/build-shelter.ts'],
  },
});
