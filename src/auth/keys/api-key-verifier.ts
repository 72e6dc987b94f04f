import { Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { hashKey, isKey } from './api-key.js';
import { AuthRepository } from '../auth.repository.js';
import type { Caller } from '../caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/** Describes to clients how to get a key, in Markdown. */
const descriptionFor = ({ signup, supportContact = 'the operator of this service' }: Config) => `${
  signup === 'open'
    ? 'Get a key in the [console]({root}/console).'
    : `The operator of this service creates the accounts. Ask ${supportContact} for a key. The [console]({root}/console) manages it.`
} A key belongs to an account. An account has no password, no session and no cookie.

The operations on accounts and keys are described in a separate document,
[openapi-accounts.json]({root}/openapi-accounts.json), which [the explorer]({root}/docs?document=accounts) shows:

- \`POST {root}/accounts\` creates an account and its first key. If only the operator creates accounts, the error names
  the contact.
- \`GET {root}/account\` returns your account, with its name.
- \`GET {root}/keys\` and \`POST {root}/keys\` list your keys and create one. Use a separate key for each program.
- \`DELETE {root}/keys/{keyId}\` revokes a key. Every replica refuses it within 5 seconds.

A key starts with \`ps_\`. It is shown once, when it is created: the service stores only its hash. It does not expire.`;

/** Verifies the keys that this service issues, by their hashes. */
@Injectable()
export class ApiKeyVerifier extends KeyVerifier {
  override readonly description: string;

  constructor(
    private readonly auth: AuthRepository,
    @Inject(CONFIG) config: Config,
  ) {
    super();
    this.description = descriptionFor(config);
  }

  override async findCaller(key: string): Promise<Caller | undefined> {
    return isKey(key) ? this.auth.findCaller(hashKey(key)) : undefined;
  }
}
