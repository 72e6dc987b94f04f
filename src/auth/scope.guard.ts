import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { toErrorResponse } from '../http/errors/error-response.js';
import { InsufficientScope } from './auth.errors.js';
import type { AuthenticatedRequest } from './caller.decorator.js';

/** Rejects callers without the scope of an operation. It runs after the guards of every request. */
export class ScopeGuard implements CanActivate {
  constructor(private readonly scope: string) {}

  /** @throws ErrorResponse of an {@link InsufficientScope} */
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<Partial<AuthenticatedRequest>>();
    if (!caller?.scopes?.includes(this.scope)) throw toErrorResponse(new InsufficientScope(this.scope));
    return true;
  }
}
