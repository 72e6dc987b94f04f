import { Body, Controller, Delete, Get, HttpCode, Post, VERSION_NEUTRAL } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';

import { InvalidRequest, NotFound } from '../domain/errors.js';
import { BodyLimit } from '../http/body.guard.js';
import { PayloadTooLarge, UnsupportedContentCoding } from '../http/errors/http-errors.js';
import { Int64Param } from '../http/validation/int64-param.decorator.js';
import { DISPLAY_NAME_BODY_LIMIT_BYTES, MAX_KEYS } from '../limits.js';
import { ApiErrors, ApiPublicErrors } from '../openapi/decorators/api-errors.decorator.js';
import { ApiListResponse } from '../openapi/decorators/api-responses.decorator.js';
import { knownHeaders, QUOTA } from '../openapi/decorators/header.js';
import { Stability } from '../openapi/decorators/stability.decorator.js';
import { Account, CreatedAccount, NewAccount } from './accounts/account.dto.js';
import { type Caller, CurrentCaller, Public } from './callers/caller.decorator.js';
import { CreatedKey, Key, NewKey } from './keys/key.dto.js';
import { KeysService, TooManyKeys } from './keys/keys.service.js';
import { SignupClosed } from './signup.middleware.js';

const BODY_ERRORS = [new PayloadTooLarge(DISPLAY_NAME_BODY_LIMIT_BYTES), new UnsupportedContentCoding()];

/** The account of the caller and its keys, and how a visitor creates an account. */
@Stability('experimental')
@BodyLimit(DISPLAY_NAME_BODY_LIMIT_BYTES)
@Controller({ version: VERSION_NEUTRAL })
export class AccountsController {
  constructor(private readonly keys: KeysService) {}

  /**
   * Create an account
   *
   * @remarks Creates an account and its first key. This is the only operation that requires no key. Operators can
   * disable it; otherwise, each address has a few attempts per hour.
   */
  @Post('accounts')
  @ApiTags('Accounts')
  @Public()
  @ApiCreatedResponse({
    type: CreatedAccount,
    description: 'The account and its key, which is shown only once.',
    headers: knownHeaders(QUOTA, true),
  })
  @ApiPublicErrors(
    new InvalidRequest('name is required.'),
    new SignupClosed('support@example.com'),
    ...BODY_ERRORS,
  )
  createAccount(@Body() { name }: NewAccount): Promise<CreatedAccount> {
    return this.keys.signUp(name);
  }

  /**
   * Get your account
   *
   * @remarks The account to which your key belongs.
   */
  @Get('account')
  @ApiTags('Accounts')
  @ApiOkResponse({ type: Account, description: 'The account.' })
  @ApiErrors()
  getAccount(@CurrentCaller() { account }: Caller): Account {
    return account;
  }

  /**
   * List your keys
   *
   * @remarks Returns the active keys of your account.
   */
  @Get('keys')
  @ApiTags('Keys')
  @ApiListResponse('Keys', Key, 'The keys.')
  @ApiErrors()
  listKeys(@CurrentCaller() { account }: Caller): Promise<Key[]> {
    return this.keys.listOf(account.id);
  }

  /**
   * Create a key
   */
  @Post('keys')
  @ApiOperation({
    description: `Creates a key for your account. An account may have ${MAX_KEYS} active keys, and create a limited number per hour. Only this response shows the key.`,
  })
  @ApiTags('Keys')
  @ApiCreatedResponse({ type: CreatedKey, description: 'The key. It is shown only once.' })
  @ApiErrors(new InvalidRequest('label is required.'), ...BODY_ERRORS, new TooManyKeys(MAX_KEYS))
  createKey(@Body() { label }: NewKey, @CurrentCaller() { account }: Caller): Promise<CreatedKey> {
    return this.keys.create(account.id, label);
  }

  /**
   * Revoke a key
   *
   * @remarks Every replica of the service refuses the key within 5 seconds. After you revoke the last active key of your
   * account, you have no access to the account any more. Only the operator of the service can then create another key.
   */
  @Delete('keys/:keyId')
  @ApiTags('Keys')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @ApiErrors(new NotFound('active key', 7n))
  async revokeKey(
    @Int64Param('keyId', 'key', 7) keyId: bigint,
    @CurrentCaller() { account }: Caller,
  ): Promise<void> {
    await this.keys.revoke(keyId, account.id);
  }
}
