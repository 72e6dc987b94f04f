import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { DataSource } from 'typeorm';

import { COMMAND, migrate } from '../database/migrate/migrate.js';
import { START_LOG } from '../observability/logs/log.module.js';

/** The modules of an application for a command. */
@Module({})
class CommandModule {
  static around(root: Type | DynamicModule): DynamicModule {
    return {
      module: CommandModule,
      global: true,
      imports: [root],
      providers: [{ provide: COMMAND, useValue: true }],
      exports: [COMMAND],
    };
  }
}

/**
 * Migrates the database and runs the work of a command on the providers of a root module. The application is not
 * initialised, so that its modules start no jobs and no servers.
 */
export async function withServices(
  root: Type | DynamicModule,
  work: (services: INestApplicationContext) => Promise<void>,
): Promise<void> {
  await withoutMigration(root, async (services) => {
    await migrate(services.get(DataSource));
    await work(services);
  });
}

/** Runs work like {@link withServices}, without migrating the database. */
export async function withoutMigration(
  root: Type | DynamicModule,
  work: (services: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const services = await NestFactory.create(CommandModule.around(root), new ExpressAdapter(), START_LOG);
  try {
    services.useLogger(services.get(Logger));
    services.flushLogs();
    await work(services);
  } finally {
    await services.close();
  }
}
