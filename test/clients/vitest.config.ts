import { configDefaults, defineConfig } from 'vitest/config';

import shared from '../../vitest.config.ts';

const TESTS = [
  'operations/*',
  ...['auth/bearer-keys', 'http/request-bodies', 'http/request-id'],
  ...['service/documented-statuses', 'service/errors', 'service/idempotency'],
];

// Runs the tests of the operations again, with a validating proxy between client and service.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: TESTS.map((pattern) => `test/${pattern}.test.ts`),
    exclude: configDefaults.exclude,
    env: { VALIDATING_PROXY: 'yes' },
  },
});
