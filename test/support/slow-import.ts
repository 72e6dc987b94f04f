import { expect } from 'vitest';

import type { Outcome } from './command.ts';
import { spawnPetstore } from './petstore.ts';
import { query } from './query.ts';

/**
 * Imports 3,001 animals, in a transaction that is idle for half a second.
 *
 * @param serverUrl the server, in which no other transaction is idle for as long
 */
export async function importWithPause(serverUrl: string, environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const command = spawnPetstore(environment, ['import', '-']);
  const rows = Array.from({ length: 3000 }, (_, n) => `{"name":"animal ${n}","categoryId":1}\n`);
  command.stdin.write(rows.join(''));
  const idle = `SELECT FROM pg_stat_activity
    WHERE state = 'idle in transaction' AND now() - state_change > interval '500 ms'`;
  await expect.poll(() => query(serverUrl, idle)).toHaveLength(1);
  command.stdin.end('{"name":"the last one","categoryId":1}\n');
  return command.exit;
}
