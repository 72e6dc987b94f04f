import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';

import { InvalidRequest } from '../../domain/domain-error.js';
import { ApiPublicErrors } from '../../openapi/api-errors.decorator.js';
import { quotaHeaders } from '../../openapi/header.js';
import { Stability } from '../../openapi/stability.decorator.js';
import { NewAccount, CreatedAccount } from './account.dto.js';
import { SignupClosed } from '../auth.errors.js';
import { AuthService } from '../auth.service.js';
import { Public } from '../public.decorator.js';
import { SignupGuard } from './signup.guard.js';

/** How someone gets an account without asking an operator. */
@ApiTags('Accounts')
@Controller('accounts')
export class AccountsController {
  constructor(private readonly auth: AuthService) {}

  /**
   * Create an account
   *
   * @remarks The one operation that needs no key: it makes an account and its first key. An operator can close
   * it, and then makes the accounts. Where it is open, an address may make a few an hour.
   */
  @Post()
  @Public()
  @SkipThrottle()
  @UseGuards(SignupGuard)
  @Stability('experimental')
  @ApiCreatedResponse({
    type: CreatedAccount,
    description: 'The account and its key, which is shown only once.',
    headers: quotaHeaders(true),
  })
  @ApiPublicErrors(
    new InvalidRequest('name is required.'),
    new SignupClosed('support@example.com'),
    'payload_too_large',
  )
  createAccount(@Body() { name }: NewAccount): Promise<CreatedAccount> {
    return this.auth.signUp(name);
  }
}
