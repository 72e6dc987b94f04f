import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from '../app.module.js';
import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { START_LOG } from '../observability/logs/log.module.js';

/** Migrates the database and runs the work of a command on the services, without an HTTP server. */
export async function withServices(
  composition: Composition,
  work: (services: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const config = {
    ...readConfig(process.env),
    migrateOnStart: true,
    // An import may wait for a slow pipe within its transaction.
    idleTransactionTimeoutMs: 0,
  };
  const services = await NestFactory.createApplicationContext(
    AppModule.forRoot(config, composition),
    START_LOG,
  );
  try {
    await work(services);
  } finally {
    await services.close();
  }
}
