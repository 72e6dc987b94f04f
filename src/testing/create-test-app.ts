import { rmSync } from 'node:fs';

import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

import { AppModule, type Composition } from '../app.module.js';
import { initApp } from '../app.setup.js';
import { AuthService } from '../auth/auth.service.js';
import { readConfig } from '../config/config.js';
import { PetstoreAdapter } from '../http/petstore.adapter.js';
import { copyMigratedDatabase } from './migrated-database.js';

/** Changes the testing module, for example with `overrideProvider(…)`. */
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
  const directory = await copyMigratedDatabase(composition.migrations);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: directory, ...environment });
  const builder = Test.createTestingModule({ imports: [AppModule.with(config, composition)] });
  const testingModule = await customize(builder).compile();
  const app = testingModule.createNestApplication<NestExpressApplication>(new PetstoreAdapter(config), {
    bodyParser: false,
    logger: false,
  });
  return initApp(app, config, composition);
}

/** Creates a key for requests to a test application. */
export async function createTestKey(app: NestExpressApplication, accountName = 'test'): Promise<string> {
  return (await app.get(AuthService).createKeyFor(accountName, 'test')).key;
}
