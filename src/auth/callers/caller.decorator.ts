import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';

import { findRequest } from '../../http/find-request.js';
import type { AccountEntity } from '../accounts/account.entity.js';

/** The sender of a request, as the `KeyVerifier` returns it. */
export interface Caller {
  /** The account to which the key belongs. Rate limits count by it. */
  readonly account: AccountEntity;
  /** Identifies the key within the account, in the log. */
  readonly keyId: bigint | string;
}

/** A request that the guard has accepted. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
}

/** Injects the caller into a parameter of a handler or a resolver. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    (findRequest(context) as AuthenticatedRequest | undefined)?.caller,
);

/** The metadata key of handlers and controllers that require no key. */
export const PUBLIC = Symbol('public');

/** Declares that an operation requires no key. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));
