import { type CanActivate, Inject, Injectable } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';
import { toErrorResponse } from '../../http/errors/error-mapper.js';
import { SignupClosed } from '../auth.errors.js';

/** Rejects self-service sign-up when the operator has disabled it. */
@Injectable()
export class SignupGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws ErrorResponse of a {@link SignupClosed} */
  canActivate(): boolean {
    if (this.config.signup === 'closed') throw toErrorResponse(new SignupClosed(this.config.supportContact));
    return true;
  }
}
