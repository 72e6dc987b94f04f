import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

/** What tests the operations by a client alone, whatever stands behind them. */
const BLACK_BOX = [
  ...['list-pets', 'get-pet', 'create-pet', 'create-message', 'place-order', 'list-orders', 'pagination'],
  ...['request-bodies', 'request-id', 'generated-requests', 'freshness', 'same-answers'],
];

// Tests the application that extends the package: what is its own, and that the operations are what they were.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/extension/*.test.ts', ...BLACK_BOX.map((name) => `test/${name}.test.ts`)],
    exclude: configDefaults.exclude,
    globalSetup: ['test/support/global-setup.ts', 'test/extension/support/build-shop.ts'],
  },
});
