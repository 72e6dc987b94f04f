// Starts PostgreSQL, and runs a command with its URL in TEST_DATABASE_URL: node test/support/with-postgres.ts npm test
import { startPostgres } from './postgres.ts';
import { runArguments } from './run-arguments.ts';

const postgres = await startPostgres(['fsync = off']);
try {
  await runArguments({ TEST_DATABASE_URL: postgres.url });
} finally {
  await postgres.remove();
}
