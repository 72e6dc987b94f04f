import { Command } from 'commander';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { migrate, undoLastMigration } from '../database/migrate/migrate.js';
import { withDataSource } from '../database/with-data-source.js';

/** `petstore migrate` */
export const migrateCommand = ({ migrations }: Composition): Command =>
  new Command('migrate')
    .description("bring the database's schema up to date")
    .option(
      '--undo',
      'undo the last migration instead, and delete the data in the tables and columns that it created',
    )
    .action(({ undo = false }: { undo?: boolean }) =>
      withDataSource(readConfig(process.env), migrations, async (dataSource) => {
        const names = undo ? [await undoLastMigration(dataSource)] : await migrate(dataSource);
        const lines = names.flatMap((name) =>
          name === undefined ? [] : `${undo ? 'undid' : 'ran'} ${name}`,
        );
        console.log(lines.join('\n') || 'nothing to do');
      }),
    );
