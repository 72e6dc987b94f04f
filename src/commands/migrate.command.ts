import type { DynamicModule, Type } from '@nestjs/common';
import type { Command } from 'commander';
import { DataSource } from 'typeorm';

import { migrate, undoLastMigration } from '../database/migrate/migrate.js';
import { createCommand } from './create-command.js';
import { print } from './output.js';
import { withoutMigration } from './with-services.js';

/** `petstore migrate` */
export const migrateCommand = (root: Type | DynamicModule): Command =>
  createCommand('migrate')
    .description("bring the database's schema up to date")
    .option(
      '--undo',
      'undo the last migration instead, and delete the data in the tables and columns that it created',
    )
    .action(({ undo = false }: { undo?: boolean }) =>
      withoutMigration(root, async (services) => {
        const dataSource = services.get(DataSource);
        return print(
          undo
            ? summaryOf('undid', await undoLastMigration(dataSource))
            : summaryOf('ran', ...(await migrate(dataSource))),
        );
      }),
    );

function summaryOf(verb: string, ...names: (string | undefined)[]): string {
  const lines = names.filter((name) => name !== undefined).map((name) => `${verb} ${name}`);
  return lines.length === 0 ? 'nothing to do' : lines.join('\n');
}
