import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { Int64Path } from '../http/int64-path.js';
import { JsonBody } from '../http/json-body.interceptor.js';
import { Fails } from '../openapi/fails.decorator.js';
import { Stability } from '../openapi/stability.decorator.js';
import { Key, NewKey, NewlyMadeKey } from './auth.dto.js';
import { KeyNotFound } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import { type Caller, CurrentCaller } from './caller.decorator.js';

/** The keys of the caller's own account. */
@ApiTags('Keys')
@Controller('keys')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Lists the keys of your account that are in force. */
  @Get()
  @Stability('experimental')
  @Fails()
  async listKeys(@CurrentCaller() caller: Caller): Promise<Key[]> {
    return (await this.auth.listKeysOf(caller.accountId)).map(toKey);
  }

  /** Makes another key for your account. The answer is the one time the key is shown. */
  @Post()
  @JsonBody()
  @Stability('experimental')
  @Fails('invalid_request', 'payload_too_large')
  async createKey(@Body() { label }: NewKey, @CurrentCaller() caller: Caller): Promise<NewlyMadeKey> {
    const created = await this.auth.createKey(caller.accountId, label);
    return { ...toKey(created), key: created.key };
  }

  /** Revokes a key of your account. Every replica of the service refuses it within 5 seconds. */
  @Delete(':keyId')
  @HttpCode(204)
  @Stability('experimental')
  @Fails('not_found')
  async revokeKey(
    @Int64Path('keyId', KeyNotFound) keyId: bigint,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.auth.revokeKey(keyId, caller.accountId);
  }
}

function toKey({ id, label, start, createdAt, lastUsedAt }: Key): Key {
  return { id, label, start, createdAt, lastUsedAt };
}
