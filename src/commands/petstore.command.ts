import type { DynamicModule, Type } from '@nestjs/common';
import { Command } from 'commander';

import { program, VERSION } from '../config/config.js';
import { distributeCommand } from './distribute.command.js';
import { importCommand } from './import/import.command.js';
import { keysCommand } from './keys.command.js';
import { messagesCommand } from './messages.command.js';
import { migrateCommand } from './migrate.command.js';
import { reportOutputErrors } from './output.js';

/** Creates the operator's commands for an application. */
export function petstoreCommand(root: Type | DynamicModule): Command {
  return new Command(program.name)
    .description('The operator commands, configured by the same environment as the service.')
    .version(VERSION)
    .hook('preAction', reportOutputErrors)
    .addCommand(migrateCommand(root))
    .addCommand(distributeCommand(root))
    .addCommand(keysCommand(root))
    .addCommand(messagesCommand(root))
    .addCommand(importCommand(root));
}
