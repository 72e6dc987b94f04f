import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The sender of a request, as the `KeyVerifier` returns it. */
export interface Caller {
  /** The id of an account in the database. */
  readonly accountId: bigint;
  /** Identifies the key within the account. Rate limits count by it. */
  readonly keyId: bigint | string;
  /** The scopes of the key. `Composition.scopes` defines which operation requires which scope. */
  readonly scopes?: readonly string[];
}

/** A request that the guard has accepted. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
}

/** Injects the caller into a parameter of a handler. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().caller,
);
