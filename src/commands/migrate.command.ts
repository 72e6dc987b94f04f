import { Command } from 'commander';

import type { Composition } from '../app.module.js';
import { readConfig } from '../config/config.js';
import { dataSourceOptions, openDataSource } from '../database/data-source.js';
import { migrate, undoLastMigration } from '../database/migrate.js';

/** `petstore migrate` */
export const migrateCommand = ({ migrations }: Composition) =>
  new Command('migrate')
    .description("bring the database's schema up to date")
    .option('--undo', 'take back the last migration instead, and with it the data in what it had made')
    .action(async ({ undo = false }: { undo?: boolean }) => {
      const dataSource = await openDataSource({
        ...dataSourceOptions(readConfig(process.env), migrations),
        migrationsRun: false,
      });
      try {
        console.log(
          undo
            ? told('undid', await undoLastMigration(dataSource))
            : told('ran', ...(await migrate(dataSource))),
        );
      } finally {
        await dataSource.destroy();
      }
    });

function told(verb: string, ...names: (string | undefined)[]): string {
  const known = names.filter((name) => name !== undefined);
  return known.length === 0 ? 'nothing to do' : known.map((name) => `${verb} ${name}`).join('\n');
}
