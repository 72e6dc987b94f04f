import type { DynamicModule, Type } from '@nestjs/common';
import type { Command } from 'commander';

import { program } from '../config/config.js';
import { createCommand } from './create-command.js';
import { distributeCommand } from './distribute.command.js';
import { importCommand } from './import.command.js';
import { keysCommand } from './keys.command.js';
import { messagesCommand } from './messages.command.js';
import { migrateCommand } from './migrate.command.js';
import { ignoreStreamErrors } from './output.js';

/** Creates the operator's commands on the modules of an application. */
export function petstoreCommand(root: Type | DynamicModule): Command {
  return createCommand(program.name)
    .description('The operator commands, configured by the same environment as the service.')
    .hook('preAction', ignoreStreamErrors)
    .addCommand(migrateCommand(root))
    .addCommand(distributeCommand(root))
    .addCommand(keysCommand(root))
    .addCommand(messagesCommand(root))
    .addCommand(importCommand(root));
}
