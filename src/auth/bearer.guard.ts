import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { Unauthorized } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import type { AuthenticatedRequest, Caller } from './caller.decorator.js';
import { PUBLIC } from './public.decorator.js';

/** Lets a request in by its bearer key (RFC 6750), and every request in where the operation is public. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Unauthorized */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = keyOf(request.headers.authorization);
    const letIn = (caller: Caller) => {
      request.caller = caller;
      return true;
    };
    const known = this.auth.findVerified(key);
    return known ? letIn(known) : this.auth.verify(key).then(letIn);
  }

  private isPublic(context: ExecutionContext): boolean {
    return (
      this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [
        context.getHandler(),
        context.getClass(),
      ]) ?? false
    );
  }
}

function keyOf(authorization: string | undefined): string {
  const [, key] = /^Bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  if (key === undefined) throw Unauthorized.missingKey();
  return key;
}
