import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';

import { KeysService } from '../auth/keys/keys.service.js';
import { INT64_MAX } from '../limits.js';
import { isName, NAME_REQUIREMENT } from '../http/validation/field.decorators.js';
import { printRows } from './output.js';
import { withServices } from './with-services.js';

export function addKeys(petstore: Command, root: Type | DynamicModule): void {
  const keys = petstore.command('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('create a key and print it to stdout, once')
    .requiredOption('--account <name>', 'the account of the key; created if it does not exist', displayName)
    .option('--label <text>', 'the purpose of the key, in 1 to 64 characters', displayName, 'key')
    .action(({ account, label }: { account: string; label: string }) =>
      withServices(root, async (services) => {
        const { id, key } = await services.get(KeysService).createFor(account, label);
        console.error(`Created key ${id} of the account ${account}. Copy it now: it is shown only once.`);
        console.log(key);
      }),
    );

  keys
    .command('list')
    .description('list the keys of all accounts, including revoked ones, without their secrets, in JSON')
    .action(() => withServices(root, async (services) => printRows(await services.get(KeysService).list())));

  keys
    .command('revoke')
    .description('revoke a key; running services refuse it within 5 seconds')
    .argument('<id>', 'the id of the key, as listed', keyId)
    .action((id: bigint) =>
      withServices(root, async (services) => {
        await services.get(KeysService).revoke(id);
        console.log(`revoked key ${id}`);
      }),
    );
}

function displayName(text: string): string {
  // The name of an account that a visitor created has a suffix.
  if (isName(text.replace(/(?<=.)-[0-9a-f]{8}$/, ''))) return text;
  throw new InvalidArgumentError(`It must ${NAME_REQUIREMENT}.`);
}

function keyId(text: string): bigint {
  if (/^\d{1,19}$/.test(text) && BigInt(text) <= INT64_MAX) return BigInt(text);
  throw new InvalidArgumentError('The id of a key is a whole number.');
}
