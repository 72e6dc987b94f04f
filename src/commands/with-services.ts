import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from '../app.module.js';
import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { StartLogger } from '../observability/logs/start.logger.js';

/**
 * Runs the work of a command with the services of the composition, without a server, on a migrated database. Reads the
 * configuration from the environment.
 */
export async function withServices(
  composition: Composition,
  work: (services: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const config = {
    ...readConfig(process.env),
    migrateOnStart: true,
    // What is imported may come from a slow pipe, and its transaction waits for it.
    idleTransactionTimeoutMs: 0,
  };
  const logger = new StartLogger();
  const services = await NestFactory.createApplicationContext(AppModule.with(config, composition), {
    logger,
    abortOnError: false,
  }).finally(() => logger.end());
  try {
    await work(services);
  } finally {
    await services.close();
  }
}
