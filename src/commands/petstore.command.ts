import type { DynamicModule, Type } from '@nestjs/common';
import { Command } from 'commander';

import { program, VERSION } from '../program.js';
import { addDistribute } from './distribute.command.js';
import { addImport } from './import/import.command.js';
import { addKeys } from './keys.command.js';
import { addMessages } from './messages.command.js';
import { addMigrate } from './migrate.command.js';
import { reportOutputErrors } from './output.js';

/** Creates the operator's commands for an application. */
export function petstoreCommand(root: Type | DynamicModule): Command {
  const petstore = new Command(program.name)
    .description('The operator commands, configured by the same environment as the service.')
    .version(VERSION)
    .showHelpAfterError()
    .hook('preAction', reportOutputErrors);
  for (const add of [addMigrate, addDistribute, addKeys, addMessages, addImport]) add(petstore, root);
  return petstore;
}
