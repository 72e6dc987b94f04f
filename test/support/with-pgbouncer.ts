// Starts PostgreSQL with a PgBouncer in front, and runs a command with their URLs in TEST_DATABASE_URL and
// TEST_POOLER_URL: node test/support/with-pgbouncer.ts npm test
import pg from 'pg';

import { startPgBouncer } from './pgbouncer.ts';
import { startPostgres } from './postgres.ts';
import { runArguments } from './run-arguments.ts';

/** The settings that the service sets itself without a pooler, with more time for the tests' larger statements. */
const ROLE = {
  statement_timeout: 60_000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};

const postgres = await startPostgres(['fsync = off']);
try {
  const client = new pg.Client(postgres.url);
  await client.connect();
  for (const [name, value] of Object.entries(ROLE)) {
    await client.query(`ALTER ROLE postgres SET ${name} = ${value}`);
  }
  await client.end();
  const pgbouncer = await startPgBouncer(postgres);
  try {
    await runArguments({ TEST_DATABASE_URL: postgres.url, TEST_POOLER_URL: pgbouncer.url });
  } finally {
    await pgbouncer.remove();
  }
} finally {
  await postgres.remove();
}
