import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';

import type { Scopes } from '../openapi/scopes.js';
import { InsufficientScope } from './auth.errors.js';
import type { AuthenticatedRequest } from './caller.decorator.js';

/** Injection token of the {@link Scopes}. */
export const SCOPES = Symbol('Scopes');

/**
 * Rejects callers without the scope of the operation. `requireScopes` checks that the operationId is the name of the
 * handler.
 */
@Injectable()
export class ScopesGuard implements CanActivate {
  private readonly scopes: ReadonlyMap<string, string>;

  constructor(@Inject(SCOPES) scopes: Scopes) {
    this.scopes = new Map(Object.entries(scopes));
  }

  /** @throws InsufficientScope */
  canActivate(context: ExecutionContext): boolean {
    const scope = this.scopes.get(context.getHandler().name);
    if (scope === undefined) return true;
    const { caller } = context.switchToHttp().getRequest<Partial<AuthenticatedRequest>>();
    if (!caller?.scopes?.includes(scope)) throw new InsufficientScope(scope);
    return true;
  }
}
