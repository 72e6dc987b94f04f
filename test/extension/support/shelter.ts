import { join } from 'node:path';

import { inject, vi } from 'vitest';

import { Client } from '../../support/client.ts';
import type { TestDatabase } from '../../support/database.ts';
import { type Exit, spawnService } from '../../support/process.ts';
import type { Service } from '../../support/service.ts';
import { AUDIENCE, type IdentityProvider, ISSUER, startIdentityProvider } from './identity-provider.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

/** The example in a separate process, with the servers that it uses. */
export interface Shelter extends Service {
  identityProvider: IdentityProvider;
  receiver: WebhookReceiver;
  stdout(): string;
  /** Stops the process, and keeps the database. */
  end(): Promise<Exit>;
}

/** Returns the path of a program of the example. */
export const shelterProgram = (name: string) => join(inject('shelterDirectory') ?? '', 'dist', name);

/** The variables of the example, in addition to those of the package. */
export const shelterEnvironment = (jwksUrl: string, webhookUrl: string) => ({
  JWKS_URL: jwksUrl,
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
  WEBHOOK_URL: webhookUrl,
  WEBHOOK_SECRET,
});

export async function startShelter(
  database: TestDatabase,
  environment: NodeJS.ProcessEnv = database.environment,
): Promise<Shelter> {
  const [identityProvider, receiver] = [await startIdentityProvider(), await startWebhookReceiver()];
  const own = shelterEnvironment(identityProvider.jwksUrl, receiver.url);
  const shelter = spawnService(
    { ...own, ...environment },
    [shelterProgram('main.js')],
    process.execPath,
    () => undefined,
  );
  const url = await vi.waitFor(
    () => {
      const [, listening] = /Listening on (http:\S+),/.exec(shelter.stdout()) ?? [];
      if (listening === undefined) throw new Error(`the shelter does not listen: ${shelter.stderr()}`);
      return listening;
    },
    { timeout: 50_000, interval: 10 },
  );
  const clientOf = (org: string) => Promise.resolve(Client.of(url, identityProvider.sign({ org })));
  const end = () => {
    shelter.signal('SIGTERM');
    return shelter.exit;
  };
  return {
    get app(): never {
      throw new Error('the shelter runs in a process of its own');
    },
    url,
    database,
    client: await clientOf('test'),
    clientOf,
    identityProvider,
    receiver,
    stdout: shelter.stdout,
    end,
    stop: async () => {
      await end();
      identityProvider.stop();
      receiver.stop();
      await database.drop();
    },
  };
}
