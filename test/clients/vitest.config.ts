import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

const FILES = [
  ...['list-pets', 'get-pet', 'create-pet', 'create-message', 'place-order', 'list-orders', 'pagination'],
  ...['bearer-keys', 'errors', 'request-bodies', 'request-id', 'idempotency'],
  ...['documented-statuses', 'generated-requests'],
];

// Runs the tests of the operations again, with a validating proxy between client and service.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: FILES.map((name) => `test/*/${name}.test.ts`),
    exclude: configDefaults.exclude,
    env: { VALIDATING_PROXY: 'yes' },
  },
});
