import { Command } from 'commander';

import { importCommand } from './commands/import.command.js';
import { keysCommand } from './commands/keys.command.js';
import { migrateCommand } from './commands/migrate.command.js';
import { exitWith } from './failed-start.js';

/** The operator's commands. */
const petstore = new Command('petstore')
  .description(
    "The pet store's operator commands. They take the service's configuration from the environment.",
  )
  .addCommand(migrateCommand)
  .addCommand(keysCommand)
  .addCommand(importCommand);

try {
  await petstore.parseAsync();
} catch (error) {
  exitWith(error);
}
