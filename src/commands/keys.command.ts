import { Command, InvalidArgumentError } from 'commander';

import { AuthService } from '../auth/auth.service.js';
import type { Composition } from '../app.module.js';
import { stringifyJson } from '../domain/json.js';
import { INT64_MAX } from '../http/field.decorators.js';
import { table } from './table.js';
import { withServices } from './with-services.js';

/** `petstore keys` */
export function keysCommand(composition: Composition): Command {
  const keys = new Command('keys').description('make, list and revoke API keys');

  keys
    .command('create')
    .description('make a key; it stands alone on stdout, and is shown this once')
    .requiredOption('--account <name>', 'whose key it is; an account that does not exist is made', someText)
    .option('--label <text>', 'what the key is for', '')
    .action(({ account, label }: { account: string; label: string }) =>
      withServices(composition, async (services) => {
        const { id, key } = await services.get(AuthService).createKeyFor(account, label);
        console.error(
          `Key ${id} of the account ${account}. It is shown this once and kept nowhere: copy it now.`,
        );
        console.log(key);
      }),
    );

  keys
    .command('list')
    .description('list all keys of all accounts, revoked ones too; never the keys themselves')
    .option('--json', 'as JSON')
    .action(({ json = false }: { json?: boolean }) =>
      withServices(composition, async (services) => {
        const keys = await services.get(AuthService).listKeys();
        process.stdout.write(json ? `${stringifyJson(keys, 2)}\n` : `${keyTable(keys)}\n`);
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key; services that run refuse it within 5 seconds')
    .argument('<id>', 'the id of the key, as listed', keyId)
    .action((id: bigint) =>
      withServices(composition, async (services) => {
        await services.get(AuthService).revokeKey(id);
        console.log(`revoked key ${id}`);
      }),
    );

  return keys;
}

type KeyOfAccount = Awaited<ReturnType<AuthService['listKeys']>>[number];

function keyTable(keys: KeyOfAccount[]): string {
  return table(
    ['ID', 'ACCOUNT', 'LABEL', 'START', 'CREATED', 'LAST USED', 'REVOKED'],
    keys.map((key) => [
      key.id,
      key.account,
      key.label,
      key.start,
      key.createdAt,
      key.lastUsedAt,
      key.revokedAt,
    ]),
  );
}

function someText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

function keyId(text: string): bigint {
  const id = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id > INT64_MAX) throw new InvalidArgumentError('It is not the id of a key.');
  return id;
}
