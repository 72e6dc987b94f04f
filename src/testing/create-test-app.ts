/**
 * Applications and modules for the tests of a service that is built on the pet store.
 *
 * @module petstore/testing
 */

import { rmSync } from 'node:fs';

import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

import { KeysService } from '../auth/keys/keys.service.js';
import { CONFIG, type Config, readConfig } from '../config/config.js';
import { APP_OPTIONS, setUpApp } from '../create-app.js';
import { PetstoreAdapter } from '../http/petstore.adapter.js';
import { PetstoreModule, type PetstoreOptions } from '../petstore.module.js';
import { ServiceModule } from '../service.module.js';
import { copyMigratedDatabase } from './migrated-database.js';

/** Configures the testing module, for example with `overrideProvider(…)`. */
export type Customize = (builder: TestingModuleBuilder) => TestingModuleBuilder;

/**
 * Creates the service of a root module for a test, with Nest's testing module and a new embedded database. `listen` or
 * `init` initialises the application. Close it at the end of the test.
 *
 * @param environment variables that override the configuration
 */
export async function createTestApp(
  root: Type | DynamicModule,
  customize: Customize = (builder) => builder,
  environment: NodeJS.ProcessEnv = {},
): Promise<NestExpressApplication> {
  const config = await testConfig(environment);
  const adapter = new PetstoreAdapter();
  // Nest's testing module has no adapter until the application is created.
  adapter.configure(config);
  const builder = Test.createTestingModule({ imports: [ServiceModule.around(root)] });
  const testingModule = await customize(builder.overrideProvider(CONFIG).useValue(config)).compile();
  const app = testingModule.createNestApplication<NestExpressApplication>(adapter, {
    ...APP_OPTIONS,
    logger: false,
  });
  return setUpApp(app, { logger: false });
}

/**
 * Creates the global module that all features require, on a separate embedded database. With it, Nest's testing module
 * can compile a single feature:
 *
 * ```ts
 * const core = await createTestCore({ migrations });
 * const testingModule = await Test.createTestingModule({ imports: [core, ReviewsModule] }).compile();
 * ```
 *
 * @param environment overrides the variables of the configuration
 */
export async function createTestCore(
  options: PetstoreOptions = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<DynamicModule> {
  return PetstoreModule.forRoot({ config: await testConfig(environment), ...options });
}

/** The databases of this process. */
const directories: string[] = [];

function removeDirectories(): void {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

async function testConfig(environment: NodeJS.ProcessEnv): Promise<Config> {
  const directory = await copyMigratedDatabase();
  if (directories.length === 0) process.once('exit', removeDirectories);
  directories.push(directory);
  return readConfig({ LOG_LEVEL: 'silent', DATA_DIR: directory, ...environment });
}

/** Creates a key for requests to an application under test. */
export async function createTestKey(app: NestExpressApplication, accountName = 'test'): Promise<string> {
  return (await app.get(KeysService).createFor(accountName, 'test')).key;
}
