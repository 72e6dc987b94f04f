import { Command } from 'commander';

import type { Composition } from '../app.module.js';
import { importCommand } from './import.command.js';
import { keysCommand } from './keys.command.js';
import { messagesCommand } from './messages.command.js';
import { migrateCommand } from './migrate.command.js';

/** The operator's commands, for the service as it comes, or as it is composed. */
export function petstoreCommand(composition: Composition = {}): Command {
  return new Command('petstore')
    .description(
      "The pet store's operator commands. They take the service's configuration from the environment.",
    )
    .addCommand(migrateCommand(composition))
    .addCommand(keysCommand(composition))
    .addCommand(messagesCommand(composition))
    .addCommand(importCommand(composition));
}
