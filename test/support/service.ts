import type { NestExpressApplication } from '@nestjs/platform-express';
import { inject, onTestFinished } from 'vitest';

import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';

import { Client } from './client.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { FEATURES, type Modules, rootOf } from './root.ts';

/** The service in this process, with a separate database. */
export interface Service {
  app: NestExpressApplication;
  /** The origin of the service. */
  url: string;
  database: TestDatabase;
  /** A client with a valid key. */
  client: Client;
  /** Returns a client with a key of another account. */
  clientOf(account: string): Promise<Client>;
  stop(): Promise<void>;
}

/** Whether the tested service has operations on accounts and keys. */
export const hasAccounts = () => inject('shelterDirectory') === undefined;

/**
 * Starts the same service as main.ts on a free port of 127.0.0.1. Stop it in `afterAll`, or let the running test do it.
 */
export async function startService(
  environment: NodeJS.ProcessEnv = {},
  modules: Modules = FEATURES,
): Promise<Service> {
  return startOn(await createDatabase(), environment, modules);
}

/** Starts another replica: the same database, and nothing else shared. It stops at the end of the test. */
export async function startReplicaForTest(
  { database }: Service,
  modules: Modules = FEATURES,
): Promise<Service> {
  const replica = await startOn({ ...database, drop: () => Promise.resolve() }, {}, modules);
  onTestFinished(() => replica.stop());
  return replica;
}

async function startOn(
  database: TestDatabase,
  environment: NodeJS.ProcessEnv,
  modules: Modules,
): Promise<Service> {
  // A test with its own PostgreSQL does not use the pooler of the others.
  const given = environment['DATABASE_URL'] === undefined ? database.environment : {};
  if (!hasAccounts()) {
    const { startShelter } = await import('../extension/support/shelter.ts');
    return startShelter(database, { ...given, ...environment });
  }
  const config = readConfig({ LOG_LEVEL: 'silent', ...given, ...environment });
  const app = await createApp(rootOf(modules, { config }), { logger: false });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const clientOf = async (account: string) =>
    Client.of(url, (await app.get(KeysService).createFor(account, 'test')).key);
  return {
    app,
    url,
    database,
    client: await clientOf('test'),
    clientOf,
    stop: async () => {
      await app.close();
      await database.drop();
    },
  };
}

/** Starts a service that stops at the end of the running test. */
export async function startServiceForTest(
  environment: NodeJS.ProcessEnv = {},
  modules: Modules = FEATURES,
): Promise<Service> {
  const service = await startService(environment, modules);
  onTestFinished(() => service.stop());
  return service;
}
