import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, Option } from 'commander';
import { DataSource } from 'typeorm';

import { migrate, migrationStates } from '../database/migrate/migrate.js';
import { printRows } from './output.js';
import { withoutMigration } from './with-services.js';

export const addMigrate = (petstore: Command, root: Type | DynamicModule): Command =>
  petstore
    .command('migrate')
    .description("bring the database's schema up to date")
    .option(
      '--to <name>',
      'run or undo migrations until this one is the last, or none for 0; an undo deletes the data in the tables and columns that its migration created',
    )
    .addOption(new Option('--status', 'only list the migrations, and whether they have run').conflicts('to'))
    .action(({ to, status }: { to?: string; status?: boolean }) =>
      withoutMigration(root, async (services) => {
        const dataSource = services.get(DataSource);
        if (status) printRows(await migrationStates(dataSource));
        else if ((await migrate(dataSource, to, console.log)).length === 0) console.log('nothing to do');
      }),
    );
