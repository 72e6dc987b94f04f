import { Controller, Delete, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { Int64Path } from '../http/int64-path.js';
import { DomainErrorInterceptor } from '../http/domain-error.interceptor.js';
import { JsonBody } from '../http/json-body.decorator.js';
import { Answers, AnswersList, AnswersNothing } from '../openapi/answers.decorator.js';
import { Fails } from '../openapi/fails.decorator.js';
import { Stability } from '../openapi/stability.decorator.js';
import { Key, NewKey, NewlyMadeKey } from './auth.dto.js';
import { KeyNotFound } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import { type Caller, CurrentCaller } from './caller.decorator.js';

/** The keys of the caller's own account. */
@ApiTags('Keys')
@Controller('keys')
@UseInterceptors(DomainErrorInterceptor)
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /**
   * List your keys
   *
   * @remarks The keys of your account that are in force.
   */
  @Get()
  @Stability('experimental')
  @AnswersList('Keys', Key, 'The keys.')
  @Fails()
  async listKeys(@CurrentCaller() caller: Caller): Promise<Key[]> {
    return (await this.auth.listKeysOf(caller.accountId)).map(toKey);
  }

  /**
   * Make a key
   *
   * @remarks Another key for your account. The answer is the one time it is shown.
   */
  @Post()
  @Stability('experimental')
  @Answers(201, NewlyMadeKey, 'The key, shown this once.')
  @Fails('invalid_request', 'payload_too_large')
  async createKey(@JsonBody() { label }: NewKey, @CurrentCaller() caller: Caller): Promise<NewlyMadeKey> {
    const { key, ...record } = await this.auth.createKey(caller.accountId, label);
    return Object.assign(toKey(record), { key });
  }

  /**
   * Revoke a key
   *
   * @remarks Every replica of the service refuses it within 5 seconds.
   */
  @Delete(':keyId')
  @HttpCode(204)
  @Stability('experimental')
  @AnswersNothing('The key is revoked.')
  @Fails('not_found')
  async revokeKey(
    @Int64Path('keyId', KeyNotFound, 'The id of the key.') keyId: bigint,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.auth.revokeKey(keyId, caller.accountId);
  }
}

function toKey({ id, label, start, createdAt, lastUsedAt }: Key): Key {
  return { id, label, start, createdAt, lastUsedAt };
}
