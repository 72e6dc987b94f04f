import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from '../app.module.js';
import type { Composition } from '../app.module.js';
import { readConfig } from '../config/config.js';

/** Runs a command's work on the services, without a server, on a database whose schema is up to date. */
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
  const services = await NestFactory.createApplicationContext(AppModule.with(config, composition), {
    logger: false,
    abortOnError: false,
  });
  try {
    await work(services);
  } finally {
    await services.close();
  }
}
