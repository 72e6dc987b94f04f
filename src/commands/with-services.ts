import { type DynamicModule, Global, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { DataSource } from 'typeorm';

import { migrate } from '../database/migrate/migrate.js';
import { START_LOG } from '../observability/logs/log.module.js';
import { COMMAND } from '../program.js';

/** Marks the application as that of a command, for all modules. */
@Global()
@Module({ providers: [{ provide: COMMAND, useValue: true }], exports: [COMMAND] })
class CommandModule {}

/** Migrates the database and runs work on the providers of a root module. Its modules start no jobs and no servers. */
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
  const module = { module: CommandModule, imports: [root] };
  const services = await NestFactory.create(module, new ExpressAdapter(), START_LOG);
  try {
    services.useLogger(services.get(Logger));
    services.flushLogs();
    await work(services);
  } finally {
    await services.close();
  }
}
