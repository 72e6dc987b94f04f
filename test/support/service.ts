import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { beforeAll, inject, onTestFinished } from 'vitest';

import { KeysService } from '#src/auth/keys/keys.service';
import { describe } from '#src/commands/exit-with-error';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';

import { Client } from './client.ts';
import { createDatabase, emptyDatabase, onCitus, schemaOf, type TestDatabase } from './database.ts';
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
const hasAccounts = () => inject('shelterDirectory') === undefined;

/** The variables of a service, unless a test sets others. Tests share an address, and so the limits by address. */
const DEFAULTS = {
  LOG_LEVEL: 'silent',
  METRICS_PORT: '0',
  SIGNUP: 'open',
  SIGNUP_LIMIT_PER_HOUR: '1000000',
  KEY_LIMIT_PER_HOUR: '1000000',
};

/**
 * Starts the same service as main.ts on a free port of 127.0.0.1. Stop it in `afterAll`, or let the running test do it.
 *
 * Without arguments, the service can be one that an earlier test has used, with an empty database. A test that changes
 * the service, or depends on its start, passes an environment.
 */
export async function startService(
  environment?: NodeJS.ProcessEnv,
  modules: Modules = FEATURES,
): Promise<Service> {
  const isShared = environment === undefined && modules === FEATURES && hasAccounts() && !onCitus();
  return isShared ? shareService() : startOn(await databaseOf(environment), environment, modules);
}

/** A service that no test uses at the moment, and the schema of its database. */
interface IdleService {
  service: Service;
  schema: string;
}

/** A start takes a second of CPU. To empty the database takes milliseconds. */
const idle: IdleService[] = [];

async function shareService(): Promise<Service> {
  const { service, schema } = (await takeIdle()) ?? (await startIdle());
  return {
    ...service,
    client: await service.clientOf('test'),
    stop: () => Promise.resolve(void idle.push({ service, schema })),
  };
}

async function startIdle(): Promise<IdleService> {
  const service = await startOn(await createDatabase());
  return { service, schema: await schemaOf(service.app.get(DataSource)) };
}

/** Returns an idle service with an empty database. Stops those that a test has stopped or changed. */
async function takeIdle(): Promise<IdleService | undefined> {
  for (let found = idle.pop(); found; found = idle.pop()) {
    // It also fails while a test has left a transaction open.
    if (await restore(found).catch(() => false)) return found;
    await found.service.stop();
  }
  return undefined;
}

/** Empties the database of an idle service, and returns true if its schema is the same as at the start. */
async function restore({ service, schema }: IdleService): Promise<boolean> {
  const { ok } = await fetch(`${service.url}/health/ready`);
  const dataSource = service.app.get(DataSource);
  if (!ok || (await schemaOf(dataSource)) !== schema) return false;
  await emptyDatabase(dataSource);
  return true;
}

/** Returns the database that an environment names, which stays, or creates one. */
async function databaseOf(environment: NodeJS.ProcessEnv = {}): Promise<TestDatabase> {
  const isGiven = environment['DATABASE_URL'] !== undefined || environment['DATA_DIR'] !== undefined;
  if (!isGiven) return createDatabase();
  return { environment: environment as TestDatabase['environment'], drop: () => Promise.resolve() };
}

async function startOn(
  database: TestDatabase,
  environment: NodeJS.ProcessEnv = {},
  modules: Modules = FEATURES,
): Promise<Service> {
  const variables = { ...database.environment, ...environment };
  if (!hasAccounts()) {
    const { startShelter } = await import('../extension/support/shelter.ts');
    return startShelter(database, variables);
  }
  const app = await createApp(rootOf(modules, { config: readConfig({ ...DEFAULTS, ...variables }) }), {
    logger: false,
  });
  const stop = async () => {
    await app.close();
    await database.drop();
  };
  try {
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const newKey = async (account: string) => (await app.get(KeysService).createFor(account, 'test')).key;
    const client = await Client.of(url, await newKey('test'));
    const clientOf = async (account: string) => client.withKey(await newKey(account));
    return { app, url, database, client, clientOf, stop };
  } catch (error) {
    // An error of the stop must not replace the error of the start.
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Starts a service that stops at the end of the running test. */
export async function startServiceForTest(
  environment?: NodeJS.ProcessEnv,
  modules: Modules = FEATURES,
): Promise<Service> {
  const service = await startService(environment, modules);
  onTestFinished(() => service.stop());
  return service;
}

/** Returns the line that a process prints with these variables when its start fails. */
export async function errorOfStart(environment: NodeJS.ProcessEnv): Promise<string> {
  const start = startService(environment).then((service) => service.stop());
  return start.then(() => Promise.reject(new Error('the service has started')), describe);
}

/** Starts a service for the tests of a file, or of a `describe`. It has its members when the tests run. */
export function useService(environment?: NodeJS.ProcessEnv, modules: Modules = FEATURES): Service {
  const service = {} as Service;
  beforeAll(async () => {
    const started = await startService(environment, modules);
    Object.defineProperties(service, Object.getOwnPropertyDescriptors(started));
    return () => started.stop();
  });
  return service;
}
