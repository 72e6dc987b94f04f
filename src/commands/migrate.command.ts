import type { Command } from 'commander';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { migrate, undoLastMigration } from '../database/migrate/migrate.js';
import { withDataSource } from '../database/with-data-source.js';
import { createCommand } from './create-command.js';
import { print } from './output.js';

/** `petstore migrate` */
export const migrateCommand = ({ migrations }: Composition): Command =>
  createCommand('migrate')
    .description("bring the database's schema up to date")
    .option(
      '--undo',
      'undo the last migration instead, and delete the data in the tables and columns that it created',
    )
    .action(({ undo = false }: { undo?: boolean }) =>
      withDataSource(readConfig(process.env), migrations, async (dataSource) =>
        print(
          undo
            ? summaryOf('undid', await undoLastMigration(dataSource))
            : summaryOf('ran', ...(await migrate(dataSource))),
        ),
      ),
    );

function summaryOf(verb: string, ...names: (string | undefined)[]): string {
  const lines = names.filter((name) => name !== undefined).map((name) => `${verb} ${name}`);
  return lines.length === 0 ? 'nothing to do' : lines.join('\n');
}
