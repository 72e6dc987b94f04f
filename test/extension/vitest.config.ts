import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

/** Tests of the operations whose features the example changes. They only send requests. */
const BLACK_BOX = ['create-message', 'create-pet', 'get-pet', 'list-pets', 'place-order'];

// Tests the example of a team's application, and on it the operations of the package that it changes.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/extension/*.test.ts', ...BLACK_BOX.map((name) => `test/operations/${name}.test.ts`)],
    exclude: configDefaults.exclude,
    globalSetup: ['test/support/global-setup.ts', 'test/extension/support/build-shelter.ts'],
  },
});
