/**
 * Applications and modules for the tests of a service that is built on the pet store.
 *
 * @module petstore/testing
 */

import { globSync, rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';

import { KeysService } from '../auth/keys/keys.service.js';
import { CONFIG, type Config, readConfig } from '../config/config.js';
import { APP_OPTIONS, setUpApp } from '../create-app.js';
import { PetstoreAdapter } from '../http/petstore.adapter.js';
import { PetstoreModule, type PetstoreOptions } from '../petstore.module.js';
import { ServiceModule } from '../service.module.js';
import { findTemplate } from './template.js';

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
 * const module = await Test.createTestingModule({ imports: [core, VisitsModule] }).compile();
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

/** Creates a key for requests to an application under test. */
export async function createTestKey(app: NestExpressApplication, accountName = 'test'): Promise<string> {
  return (await app.get(KeysService).createFor(accountName, 'test')).key;
}

/** The beginning of the names of the directories with databases. The process id follows. */
const PREFIX = join(tmpdir(), 'petstore-test-app-');

/** The databases of this process. */
const directories: string[] = [];
process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

// A test runner may kill its processes, so that they have no `exit`. The next run removes their databases.
for (const directory of globSync(`${PREFIX}*`)) {
  if (isRunning(parseInt(directory.slice(PREFIX.length)))) continue;
  // Those of another user stay.
  void rm(directory, { recursive: true, force: true }).catch(() => undefined);
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // A process of another user exists, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function testConfig(environment: NodeJS.ProcessEnv): Promise<Config> {
  const template = await findTemplate();
  const directory = await mkdtemp(`${PREFIX}${process.pid}-`);
  directories.push(directory);
  await cp(template, directory, { recursive: true });
  return readConfig({ LOG_LEVEL: 'silent', DATA_DIR: directory, ...environment });
}
