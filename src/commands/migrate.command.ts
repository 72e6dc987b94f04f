import type { Command } from 'commander';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { findEngine } from '../database/citus/find-engine.js';
import { dataSourceOptions, openDataSource } from '../database/data-source.js';
import { migrate, undoLastMigration } from '../database/migrate.js';
import { createPool } from '../database/pool/create-pool.js';
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
    .action(async ({ undo = false }: { undo?: boolean }) => {
      const config = readConfig(process.env);
      const pool = createPool(config, await findEngine(config));
      const dataSource = await openDataSource({
        ...dataSourceOptions(config, migrations, pool),
        migrationsRun: false,
      });
      try {
        await print(
          undo
            ? summaryOf('undid', await undoLastMigration(dataSource))
            : summaryOf('ran', ...(await migrate(dataSource))),
        );
      } finally {
        await dataSource.destroy();
      }
    });

function summaryOf(verb: string, ...names: (string | undefined)[]): string {
  const lines = names.filter((name) => name !== undefined).map((name) => `${verb} ${name}`);
  return lines.length === 0 ? 'nothing to do' : lines.join('\n');
}
