// Runs a command with TEST_DATABASE_URL set to a PostgreSQL that exists as long as the command runs:
//   node test/support/with-postgres.ts npm test
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { startPostgres } from './postgres.ts';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: with-postgres.ts COMMAND [ARGUMENT …]');

const postgres = await startPostgres(['fsync = off']);
try {
  const environment = { ...process.env, TEST_DATABASE_URL: postgres.url };
  const child = spawn(command, args, { stdio: 'inherit', env: environment });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await postgres.remove();
}
