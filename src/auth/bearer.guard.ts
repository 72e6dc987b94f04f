import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { Unauthorized } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import type { AuthenticatedRequest } from './caller.decorator.js';
import { PUBLIC } from './public.decorator.js';

/** Authenticates a request by its API key, a bearer token (RFC 6750). Operations with `@Public()` need no key. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Unauthorized */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = keyOf(request.headers.authorization);
    request.caller = this.auth.findVerified(key) ?? (await this.auth.verify(key));
    return true;
  }
}

/** The scheme, which is case-insensitive, and the first character of a key. */
const BEARER = /^Bearer +\S/i;

function keyOf(authorization = ''): string {
  if (!BEARER.test(authorization)) throw Unauthorized.missingKey();
  return authorization.slice('Bearer '.length).trimStart();
}
