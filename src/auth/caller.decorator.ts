import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

import { requestOf } from '../http/request-of.js';

/** Who sends a request. */
export interface Caller {
  readonly accountId: bigint;
  /** Which of the account's keys it is; what a key may ask is counted by it. */
  readonly keyId: bigint | string;
}

/** A request that the guard has let in. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
}

/** Hands the caller to a parameter of a handler. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => (requestOf(context) as AuthenticatedRequest).caller,
);
