/**
 * Applications and modules for the tests of a service that is built on the pet store.
 *
 * @module petstore/testing
 */

import { rmSync } from 'node:fs';

import type { DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

import { AppModule } from '../app.module.js';
import type { Composition } from '../composition/composition.js';
import { initApp } from '../app.setup.js';
import { KeysService } from '../auth/keys/keys.service.js';
import { type Config, readConfig } from '../config/config.js';
import { CoreModule } from '../core.module.js';
import { PetstoreAdapter } from '../http/petstore.adapter.js';
import { copyMigratedDatabase } from './migrated-database.js';

/** Configures the testing module, for example with `overrideProvider(…)`. */
export type Customize = (builder: TestingModuleBuilder) => TestingModuleBuilder;

/**
 * Creates the service for a test with Nest's testing module and a new embedded database. The returned application is
 * initialised and does not listen yet. Close it at the end of the test.
 *
 * @param environment variables that override the configuration
 */
export async function createTestApp(
  composition: Composition = {},
  customize: Customize = (builder) => builder,
  environment: NodeJS.ProcessEnv = {},
): Promise<NestExpressApplication> {
  const config = await testConfig(composition, environment);
  const builder = Test.createTestingModule({ imports: [AppModule.forRoot(config, composition)] });
  const testingModule = await customize(builder).compile();
  const app = testingModule.createNestApplication<NestExpressApplication>(new PetstoreAdapter(config), {
    bodyParser: false,
    logger: false,
  });
  return initApp(app, config, composition);
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
  composition: Composition = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<DynamicModule> {
  return CoreModule.forRoot(await testConfig(composition, environment), composition);
}

/** The databases of this process. */
const directories: string[] = [];

function removeDirectories(): void {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

async function testConfig({ migrations }: Composition, environment: NodeJS.ProcessEnv): Promise<Config> {
  const directory = await copyMigratedDatabase(migrations);
  if (directories.length === 0) process.once('exit', removeDirectories);
  directories.push(directory);
  return readConfig({ LOG_LEVEL: 'silent', DATA_DIR: directory, ...environment });
}

/** Creates a key for requests to an application under test. */
export async function createTestKey(app: NestExpressApplication, accountName = 'test'): Promise<string> {
  return (await app.get(KeysService).createFor(accountName, 'test')).key;
}
