import { Injectable } from '@nestjs/common';

import { hashKey, isKey } from './api-key.js';
import { AuthRepository } from './auth.repository.js';
import type { Caller } from './caller.decorator.js';
import { KeyVerifier } from './key-verifier.js';

/** Knows the keys that the service has made, by their hashes. */
@Injectable()
export class StoredKeys extends KeyVerifier {
  constructor(private readonly auth: AuthRepository) {
    super();
  }

  override async findCaller(key: string): Promise<Caller | undefined> {
    return isKey(key) ? this.auth.findCaller(hashKey(key)) : undefined;
  }
}
