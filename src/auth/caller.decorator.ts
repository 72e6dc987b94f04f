import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Who sends a request: the account, and which of its keys. */
export interface Caller {
  readonly accountId: bigint;
  readonly keyId: bigint;
}

/** A request that the guard has let in. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
}

/** Hands the caller to a parameter of a handler. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().caller,
);
