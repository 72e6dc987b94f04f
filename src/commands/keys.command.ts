import type { DynamicModule, Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { type Command, InvalidArgumentError } from 'commander';

import { NewAccount } from '../auth/accounts/account.dto.js';
import { NewKey } from '../auth/keys/key.dto.js';
import { type KeyOfAccount, KeysService } from '../auth/keys/keys.service.js';
import { INT64_MAX } from '../domain/int64.js';
import { createCommand } from './create-command.js';
import { jsonArray } from './json-array.js';
import { print, printAll } from './output.js';
import { printable } from './printable.js';
import { type Columns, table } from './table.js';
import { withServices } from './with-services.js';

/** `petstore keys` */
export function keysCommand(root: Type | DynamicModule): Command {
  const keys = createCommand('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('create a key and print it to stdout, once')
    .requiredOption('--account <name>', 'the account of the key; created if it does not exist', accountName)
    .option('--label <text>', 'the purpose of the key, in 1 to 64 characters', keyLabel, 'key')
    .action(({ account, label }: { account: string; label: string }) =>
      withServices(root, async (services) => {
        const { id, key } = await services.get(KeysService).createFor(account, label);
        console.error(
          `Created key ${id} of the account ${printable(account)}. Copy it now: it is shown only once.`,
        );
        await print(key);
      }),
    );

  keys
    .command('list')
    .description('list the keys of all accounts, including revoked ones, without their secrets')
    .option('--json', 'print a JSON array')
    .action(({ json = false }: { json?: boolean }) =>
      withServices(root, async (services) => {
        const pages = services.get(KeysService).list();
        await printAll(json ? jsonArray(pages) : table(COLUMNS, pages));
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key; running services refuse it within 5 seconds')
    .argument('<id>', 'the id of the key, as listed', keyId)
    .action((id: bigint) =>
      withServices(root, async (services) => {
        await services.get(KeysService).revoke(id);
        await print(`revoked key ${id}`);
      }),
    );

  return keys;
}

const COLUMNS: Columns<KeyOfAccount> = {
  ID: (key) => key.id,
  ACCOUNT: (key) => key.account,
  LABEL: (key) => key.label,
  START: (key) => key.start,
  CREATED: (key) => key.createdAt,
  'LAST USED': (key) => key.lastUsedAt,
  REVOKED: (key) => key.revokedAt,
};

/** Validates a name by the rules of `POST /accounts`, with or without the suffix that `POST /accounts` appends. */
function accountName(text: string): string {
  requireValid(Object.assign(new NewAccount(), { name: text.replace(/(?<=.)-[0-9a-f]{8}$/, '') }));
  return text;
}

function keyLabel(text: string): string {
  requireValid(Object.assign(new NewKey(), { label: text }));
  return text;
}

function requireValid(dto: object): void {
  const problems = validateSync(dto).flatMap(({ constraints = {} }) => Object.values(constraints));
  if (problems.length > 0) throw new InvalidArgumentError(problems.join(' '));
}

function keyId(text: string): bigint {
  const id = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id > INT64_MAX)
    throw new InvalidArgumentError('The id of a key is a whole number.');
  return id;
}
