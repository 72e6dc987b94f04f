import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { ApiError } from '../openapi/api-errors.decorator.js';
import { header, SECONDS_TO_WAIT } from '../openapi/header.js';
import { MAX_HEADER_LENGTH, parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyMismatch, RequestInProgress } from './idempotency.errors.js';

/** Metadata of a handler that accepts an `Idempotency-Key`. */
export const IDEMPOTENT = Symbol('idempotent');

/**
 * Makes an operation accept an `Idempotency-Key` and documents it. Its handler takes an `IdempotentRequest` and
 * passes it to `IdempotencyService.run`.
 */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, true),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'A unique name for this request, such as a UUID. If you repeat the request with the same name, it takes ' +
        'effect once. A string in quotes (RFC 9651) of 1 to 255 ASCII characters, or the same without quotes if it ' +
        'holds no space, quote or comma.',
      required: false,
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_HEADER_LENGTH,
        examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'],
      },
      extensions: { 'x-stability': 'experimental' },
    }),
    ApiError(new RequestInProgress(), { 'Retry-After': header(SECONDS_TO_WAIT, 1) }),
    ApiError(new IdempotencyMismatch()),
  );
}

/** The part of a request that decides whether it repeats another one. */
export interface IdempotentRequest {
  readonly accountId: bigint;
  /** The method and the path. */
  readonly operation: string;
  /** Undefined when the request has no `Idempotency-Key`. */
  readonly key: string | undefined;
  /** Marks the answer as that of an earlier request. */
  readonly markReplayed: () => void;
}

/** Injects the `IdempotentRequest` into a parameter of a handler with `@Idempotent()`. */
export const IdempotentRequest = createParamDecorator(
  (_data: unknown, context: ExecutionContext): IdempotentRequest => {
    const { caller, method, path, headers, res } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = headers['idempotency-key'];
    return {
      accountId: caller.accountId,
      operation: `${method} ${path}`,
      key: key === undefined ? undefined : parseIdempotencyKey(String(key)),
      markReplayed: () => res?.setHeader('Idempotency-Replayed', 'true'),
    };
  },
);

/** The header of an answer that repeats an earlier one. */
export const REPLAYED = {
  'Idempotency-Replayed': header(
    'Present, and `true`, when this is the answer to an earlier request with the same `Idempotency-Key`.',
    'true',
  ),
};
