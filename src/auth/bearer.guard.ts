import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { requestOf } from '../http/request-of.js';
import { Unauthorized } from './auth.errors.js';
import { AuthService } from './auth.service.js';
import type { AuthenticatedRequest, Caller } from './caller.decorator.js';
import { PUBLIC } from './public.decorator.js';

/** Lets a request in by its bearer key (RFC 6750), and every request in where the operation is public. */
@Injectable()
export class BearerGuard implements CanActivate {
  // Metadata does not change, and to ask for it takes its time.
  private readonly publicity = new WeakMap<Type, Map<Handler, boolean>>();

  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Unauthorized */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = requestOf(context) as AuthenticatedRequest;
    const key = keyOf(request.headers.authorization);
    const letIn = (caller: Caller) => {
      request.caller = caller;
      return true;
    };
    const known = this.auth.findVerified(key);
    return known ? letIn(known) : this.auth.verify(key).then(letIn);
  }

  private isPublic(context: ExecutionContext): boolean {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const known = this.publicity.get(controller) ?? new Map<Handler, boolean>();
    let isPublic = known.get(handler);
    if (isPublic === undefined) {
      isPublic =
        this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [handler, controller]) ?? false;
      this.publicity.set(controller, known.set(handler, isPublic));
    }
    return isPublic;
  }
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** The scheme, in any case, and the beginning of a key. */
const BEARER = /^Bearer +\S/i;

function keyOf(authorization = ''): string {
  if (!BEARER.test(authorization)) throw Unauthorized.missingKey();
  return authorization.slice('Bearer '.length).trimStart();
}
