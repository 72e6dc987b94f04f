import { Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import type { Caller } from '../callers/caller.decorator.js';
import { KeyVerifier } from '../callers/key-verifier.js';
import { hashKey, isKey } from './api-key.js';
import { KeysRepository } from './keys.repository.js';

const descriptionFor = ({ signup, supportContact = 'the operator of this service' }: Config) => `${
  signup === 'open'
    ? 'Get a key in the [console]({root}/console).'
    : `Ask ${supportContact} for a key. Manage it in the [console]({root}/console).`
} A key starts with \`ps_\`. It is
shown once, when it is created, and does not expire. Use one for each program.

Accounts and keys have [operations of their own]({root}/docs?document=accounts), which
[another document]({root}/openapi-accounts.json) describes.`;

/**
 * Verifies the keys that the service created, by their hashes. A team can extend it with another kind of credential.
 */
@Injectable()
export class ApiKeyVerifier extends KeyVerifier {
  override readonly credential: string = 'API key';
  override readonly description: string;

  /** @internal */
  constructor(
    private readonly keys: KeysRepository,
    @Inject(CONFIG) config: Config,
  ) {
    super();
    this.description = descriptionFor(config);
  }

  override async findCaller(key: string): Promise<Caller | undefined> {
    return isKey(key) ? this.keys.findCaller(hashKey(key)) : undefined;
  }
}
