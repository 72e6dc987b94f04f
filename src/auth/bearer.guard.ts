import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { Unauthorized } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import type { AuthenticatedRequest } from './caller.decorator.js';
import { PUBLIC } from './public.decorator.js';

/** Lets a request in by its bearer key (RFC 6750), and every request in where the operation is public. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Unauthorized */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]))
      return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.caller = await this.auth.verify(keyOf(request.headers.authorization));
    return true;
  }
}

function keyOf(authorization: string | undefined): string {
  const [, key] = /^Bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  if (key === undefined) throw Unauthorized.missingKey();
  return key;
}
