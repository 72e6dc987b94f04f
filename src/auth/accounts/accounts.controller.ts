import { Body, Controller, Get, Post, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';

import { InvalidRequest } from '../../domain/errors.js';
import { BODY_ERRORS } from '../../http/errors/http-errors.js';
import { ApiErrors, ApiPublicErrors } from '../../openapi/decorators/api-errors.decorator.js';
import { knownHeaders, QUOTA } from '../../openapi/decorators/header.js';
import { Stability } from '../../openapi/decorators/stability.decorator.js';
import { Account, CreatedAccount, NewAccount } from './account.dto.js';
import { toAccount } from './account.entity.js';
import { SignupClosed } from '../auth.errors.js';
import { type Caller, CurrentCaller, Public } from '../caller.decorator.js';
import { AccountsService } from './accounts.service.js';
import { SignupQuota } from './signup-quota.js';

/** The account of the caller, and how a visitor creates one. */
@ApiTags('Accounts')
@Controller({ version: VERSION_NEUTRAL })
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly quota: SignupQuota,
  ) {}

  /**
   * Create an account
   *
   * @remarks Creates an account and its first key. This is the only operation that requires no key. Operators can
   * disable it; otherwise, each address may create a few accounts per hour.
   */
  @Post('accounts')
  @Public()
  @SkipThrottle()
  @Stability('experimental')
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
  async createAccount(
    @Body() { name }: NewAccount,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAccount> {
    // The quota is spent after validation, so that an invalid name does not count.
    response.set(this.quota.consume(request));
    return await this.accounts.signUp(name);
  }

  /**
   * Get your account
   *
   * @remarks The account to which your key belongs.
   */
  @Get('account')
  @Stability('experimental')
  @ApiOkResponse({ type: Account, description: 'The account.' })
  @ApiErrors()
  getAccount(@CurrentCaller() { account }: Caller): Account {
    return toAccount(account);
  }
}
