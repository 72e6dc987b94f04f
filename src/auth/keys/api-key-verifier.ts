import { Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { hashKey, isKey } from './api-key.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { Caller } from '../caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/** Describes to clients how to get a key, in Markdown. */
const descriptionFor = ({ signup, supportContact = 'the operator of this service' }: Config) => `${
  signup === 'open'
    ? 'Get a key in the [console]({root}/console).'
    : `Ask ${supportContact} for a key. Manage it in the [console]({root}/console).`
} A key starts with \`ps_\`. It is
shown once, when it is created, and does not expire. Use one for each program.

Accounts and keys have [operations of their own]({root}/docs?document=accounts), which
[another document]({root}/openapi-accounts.json) describes.`;

/** Verifies the keys that the service created, by their hashes. */
@Injectable()
export class ApiKeyVerifier extends KeyVerifier {
  override readonly credential = 'API key';
  override readonly description: string;

  constructor(
    private readonly accounts: AccountsRepository,
    @Inject(CONFIG) config: Config,
  ) {
    super();
    this.description = descriptionFor(config);
  }

  override async findCaller(key: string): Promise<Caller | undefined> {
    return isKey(key) ? this.accounts.findCaller(hashKey(key)) : undefined;
  }
}
