import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

/** Tests that only send requests to the operations. */
const BLACK_BOX = [
  ...['list-pets', 'get-pet', 'create-pet', 'create-message', 'place-order', 'list-orders', 'pagination'],
  ...['request-bodies', 'request-id', 'generated-requests', 'freshness', 'same-answers'],
];

// Tests the application that extends the package: its own features, and the operations of the package.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/extension/*.test.ts', ...BLACK_BOX.map((name) => `test/*/${name}.test.ts`)],
    exclude: configDefaults.exclude,
    globalSetup: ['test/support/global-setup.ts', 'test/extension/support/build-shop.ts'],
  },
});
