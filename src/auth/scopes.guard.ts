import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { InsufficientScope } from './auth.errors.js';
import type { AuthenticatedRequest } from './caller.decorator.js';
import { SCOPE } from './require-scope.decorator.js';

/** Rejects callers without the scope of the operation. */
@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws InsufficientScope */
  canActivate(context: ExecutionContext): boolean {
    const scope = this.reflector.getAllAndOverride<string | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (scope === undefined) return true;
    const { caller } = context.switchToHttp().getRequest<Partial<AuthenticatedRequest>>();
    if (!caller?.scopes?.includes(scope)) throw new InsufficientScope(scope);
    return true;
  }
}
