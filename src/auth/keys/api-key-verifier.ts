import { Injectable } from '@nestjs/common';

import { hashKey, isKey } from './api-key.js';
import { AuthRepository } from '../auth.repository.js';
import type { Caller } from '../caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

const DESCRIPTION = `Get a key at \`/console\`. It belongs to an account, and is all there is to it: no password, no session,
no cookie.

Who creates an account, there or by \`POST /accounts\`, gets its first key; with it, more can be made
and revoked, one for each program that calls. Where accounts are made by an operator alone, the answer
says whom to ask.

A key starts with \`ps_\`. It is shown once, when it is made: the service keeps only its hash. It does
not expire. One that was revoked is refused everywhere within 5 seconds.`;

/** Knows the keys that the service has made, by their hashes. */
@Injectable()
export class ApiKeyVerifier extends KeyVerifier {
  override readonly description = DESCRIPTION;

  constructor(private readonly auth: AuthRepository) {
    super();
  }

  override async findCaller(key: string): Promise<Caller | undefined> {
    return isKey(key) ? this.auth.findCaller(hashKey(key)) : undefined;
  }
}
