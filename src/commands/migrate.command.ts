import type { DynamicModule, Type } from '@nestjs/common';
import { Command } from 'commander';
import { DataSource } from 'typeorm';

import { migrate, undoLastMigration } from '../database/migrate/migrate.js';
import { withoutMigration } from './with-services.js';

/** `petstore migrate` */
export const migrateCommand = (root: Type | DynamicModule): Command =>
  new Command('migrate')
    .description("bring the database's schema up to date")
    .option(
      '--undo',
      'undo the last migration instead, and delete the data in the tables and columns that it created',
    )
    .action(({ undo = false }: { undo?: boolean }) =>
      withoutMigration(root, async (services) => {
        const dataSource = services.get(DataSource);
        const names = undo ? [await undoLastMigration(dataSource)] : await migrate(dataSource);
        const lines = names.flatMap((name) =>
          name === undefined ? [] : `${undo ? 'undid' : 'ran'} ${name}`,
        );
        console.log(lines.join('\n') || 'nothing to do');
      }),
    );
