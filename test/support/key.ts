import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';

import type { TestDatabase } from './database.ts';
import { FEATURES, rootOf } from './root.ts';

/** Creates a key in a database that no process has open. */
export async function createKey({ environment }: Pick<TestDatabase, 'environment'>): Promise<string> {
  const app = await createApp(
    rootOf(FEATURES, { config: readConfig({ LOG_LEVEL: 'silent', ...environment }) }),
  );
  try {
    return (await app.get(KeysService).createFor('test', 'test')).key;
  } finally {
    await app.close();
  }
}
