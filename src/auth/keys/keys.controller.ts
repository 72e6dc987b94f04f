import { Body, Controller, Delete, Get, HttpCode, Post, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';

import { InvalidRequest } from '../../domain/errors.js';
import { BODY_ERRORS } from '../../http/errors/http-errors.js';
import { Int64Param } from '../../http/validation/int64-param.decorator.js';
import { MAX_KEYS } from '../../limits.js';
import { ApiListResponse } from '../../openapi/decorators/api-responses.decorator.js';
import { ApiErrors } from '../../openapi/decorators/api-errors.decorator.js';
import { Stability } from '../../openapi/decorators/stability.decorator.js';
import { Key, NewKey, CreatedKey } from './key.dto.js';
import { KeyNotFound, TooManyKeys } from '../auth.errors.js';
import { type Caller, CurrentCaller } from '../caller.decorator.js';
import { KeysService } from './keys.service.js';

/** Lists, creates and revokes keys of the caller's account. */
@ApiTags('Keys')
@Controller({ path: 'keys', version: VERSION_NEUTRAL })
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  /**
   * List your keys
   *
   * @remarks Returns the active keys of your account.
   */
  @Get()
  @Stability('experimental')
  @ApiListResponse('Keys', Key, 'The keys.')
  @ApiErrors()
  listKeys(@CurrentCaller() { account }: Caller): Promise<Key[]> {
    return this.keys.listOf(account.id);
  }

  /**
   * Create a key
   *
   * @remarks Creates a key for your account. An account may have 100 active keys. Only this response shows the key.
   */
  @Post()
  @Stability('experimental')
  @ApiCreatedResponse({ type: CreatedKey, description: 'The key. It is shown only once.' })
  @ApiErrors(new InvalidRequest('label is required.'), ...BODY_ERRORS, new TooManyKeys(MAX_KEYS))
  createKey(@Body() { label }: NewKey, @CurrentCaller() { account }: Caller): Promise<CreatedKey> {
    return this.keys.create(account.id, label);
  }

  /**
   * Revoke a key
   *
   * @remarks Every replica of the service refuses it within 5 seconds.
   */
  @Delete(':keyId')
  @HttpCode(204)
  @Stability('experimental')
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @ApiErrors(new KeyNotFound(7n))
  async revokeKey(
    @Int64Param('keyId', KeyNotFound, 'The id of the key.', 7) keyId: bigint,
    @CurrentCaller() { account }: Caller,
  ): Promise<void> {
    await this.keys.revoke(keyId, account.id);
  }
}
