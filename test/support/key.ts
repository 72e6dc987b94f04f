import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';

import { FEATURES, rootOf } from './root.ts';

/** Migrates a database that no process has open, and creates a key in it. */
export async function createKey(environment: NodeJS.ProcessEnv, account = 'test'): Promise<string> {
  const app = await createApp(
    rootOf(FEATURES, { config: readConfig({ LOG_LEVEL: 'silent', ...environment }) }),
  );
  try {
    return (await app.get(KeysService).createFor(account, 'test')).key;
  } finally {
    await app.close();
  }
}

/** Creates an account and a key as a visitor of a service with open sign-up. Returns the key. */
export async function signUp(url: string): Promise<string> {
  const answer = await fetch(`${url}/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"test"}',
  });
  return ((await answer.json()) as { key: string }).key;
}
