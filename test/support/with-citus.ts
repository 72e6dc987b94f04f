// Runs a command with TEST_DATABASE_URL set to the coordinator of a Citus, and TEST_CITUS_WORKER_URLS to its two
// workers, which exist as long as the command runs:
//   node test/support/with-citus.ts npm test
// With --by-worker, the tests let the service enter by a worker.
import { citusIsInstalled, INSTALLATION, startCitus } from './citus.ts';
import { runArguments } from './run-arguments.ts';

if (!citusIsInstalled()) {
  console.error(INSTALLATION);
  process.exit(1);
}
const isByWorker = process.argv[2] === '--by-worker';
if (isByWorker) process.argv.splice(2, 1);
const citus = await startCitus(['fsync = off']);
try {
  await runArguments({
    TEST_DATABASE_URL: citus.coordinator.url,
    ...(isByWorker && { TEST_CITUS_ENTRY: 'worker' }),
    TEST_CITUS_WORKER_URLS: citus.workers.map(({ url }) => url).join(),
  });
} finally {
  await citus.remove();
}
