import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

/** Tests of the service that only send requests, and do not depend on the names of schemas. */
const BLACK_BOX = ['operations/!(generated-requests)', 'http/request-bodies'];

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
