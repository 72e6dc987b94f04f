import { Command } from 'commander';

import type { Composition } from '../composition/composition.js';
import { distributeCommand } from './distribute.command.js';
import { importCommand } from './import/import.command.js';
import { keysCommand } from './keys.command.js';
import { messagesCommand } from './messages.command.js';
import { migrateCommand } from './migrate.command.js';
import { reportOutputErrors } from './output.js';

/** Creates the operator's commands for the service, or for a composition of it. */
export function petstoreCommand(composition: Composition = {}): Command {
  return new Command('petstore')
    .description("The pet store's operator commands, configured by the same environment as the service.")
    .hook('preAction', reportOutputErrors)
    .addCommand(migrateCommand(composition))
    .addCommand(distributeCommand(composition))
    .addCommand(keysCommand(composition))
    .addCommand(messagesCommand(composition))
    .addCommand(importCommand(composition));
}
