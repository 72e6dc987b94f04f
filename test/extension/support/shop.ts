import { join } from 'node:path';

import { inject, vi } from 'vitest';

import { Client } from '../../support/client.ts';
import type { TestDatabase } from '../../support/database.ts';
import { type Exit, spawnService } from '../../support/process.ts';
import type { Service } from '../../support/service.ts';
import { AUDIENCE, type IdentityProvider, ISSUER, startIdentityProvider } from './identity-provider.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

/** The application that extends the package in a separate process, with the servers that it uses. */
export interface Shop extends Service {
  identityProvider: IdentityProvider;
  receiver: WebhookReceiver;
  stdout(): string;
  /** Stops the process, and keeps the database. */
  end(): Promise<Exit>;
}

/** Returns the command line that runs a program of the application. */
export const shopProgram = (name: string) => join(inject('shopDirectory') ?? '', 'dist', name);

/** The variables of the application, in addition to those of the package. */
export const shopEnvironment = (jwksUrl: string, webhookUrl: string) => ({
  JWKS_URL: jwksUrl,
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
  WEBHOOK_URL: webhookUrl,
  WEBHOOK_SECRET,
});

export async function startShop(database: TestDatabase, environment: NodeJS.ProcessEnv): Promise<Shop> {
  const [identityProvider, receiver] = [await startIdentityProvider(), await startWebhookReceiver()];
  const own = shopEnvironment(identityProvider.jwksUrl, receiver.url);
  const shop = spawnService(
    { ...own, ...environment },
    [shopProgram('main.js')],
    process.execPath,
    () => undefined,
  );
  const url = await vi.waitFor(
    () => {
      const [, listening] = /Listening on (http:\S+),/.exec(shop.stdout()) ?? [];
      if (listening === undefined) throw new Error(`the shop does not listen: ${shop.stderr()}`);
      return listening;
    },
    { timeout: 50_000, interval: 10 },
  );
  const clientOf = async (org: string) => Client.of(url, await identityProvider.sign({ org }));
  const end = () => {
    shop.signal('SIGTERM');
    return shop.exit;
  };
  return {
    get app(): never {
      throw new Error('the shop runs in a process of its own');
    },
    url,
    database,
    client: await clientOf('test'),
    clientOf,
    identityProvider,
    receiver,
    stdout: shop.stdout,
    end,
    stop: async () => {
      await end();
      identityProvider.stop();
      receiver.stop();
      await database.drop();
    },
  };
}
