import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';

import type { AuthenticatedRequest } from '../auth/callers/caller.decorator.js';
import { InvalidRequest } from '../domain/errors.js';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../limits.js';
import { documentErrors } from '../openapi/decorators/api-errors.decorator.js';
import { header } from '../openapi/decorators/header.js';
import { IdempotencyMismatch, RequestInProgress } from './idempotency.errors.js';

const IDEMPOTENT = Symbol('idempotent');

/**
 * Declares that an operation accepts an `Idempotency-Key`. Its handler takes an `IdempotentRequest` and passes it to
 * `IdempotencyService.run` or `runInTransaction`.
 */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, true),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'A unique key for this request, such as a UUID. Requests with the same key take effect once. The key is a ' +
        `string in quotes (RFC 9651) of 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} ASCII characters. The quotes are optional if ` +
        'the key contains no spaces, quotes or commas.',
      required: false,
      // Importers would send an example with every request.
      schema: { type: 'string', minLength: 1 },
      extensions: { 'x-stability': 'experimental' },
    }),
    documentErrors([new RequestInProgress(), new IdempotencyMismatch()]),
  );
}

/** The scheme and host of a target that is a whole URL (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i;

/** The properties of a request that identify its repetitions. */
export interface IdempotentRequest {
  readonly accountId: bigint;
  /** The method, the path and the query. */
  readonly operation: string;
  readonly key: string | undefined;
  readonly markReplayed: () => void;
}

/** Injects the `IdempotentRequest` into a parameter of a handler with `@Idempotent()`. */
export const IdempotentRequest = createParamDecorator(
  (_data: unknown, context: ExecutionContext): IdempotentRequest => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { caller, method, originalUrl, headers, res } = request;
    const key = headers['idempotency-key'];
    return {
      accountId: caller.account.id,
      operation: `${method} ${originalUrl.replace(ORIGIN, '')}`,
      key: key === undefined ? undefined : parseIdempotencyKey(String(key)),
      markReplayed: () => res?.setHeader('Idempotency-Replayed', 'true'),
    };
  },
);

/** Rejects a malformed key before the body is read. Operations without `@Idempotent()` ignore the key. */
export const idempotencyKeyGuard: CanActivate = {
  canActivate(context) {
    const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
    if (key !== undefined && Reflect.hasMetadata(IDEMPOTENT, context.getHandler())) {
      parseIdempotencyKey(String(key));
    }
    return true;
  },
};

/**
 * A string of structured fields (RFC 9651, section 3.3.3), as the draft requires, or a bare key, as many clients send
 * it. A bare key contains no commas, because commas join several headers of the same name.
 */
const KEY = new RegExp(
  String.raw`^(?:([!#-+\--~]{1,N})|"((?:[ !#-[\]-~]|\\["\\]){1,N})")$`.replaceAll(
    'N',
    String(MAX_IDEMPOTENCY_KEY_LENGTH),
  ),
);

/**
 * Parses an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). A key with quotes equals the same key
 * without quotes.
 *
 * @throws InvalidRequest
 */
function parseIdempotencyKey(text: string): string {
  const [, bare, quoted] = KEY.exec(text) ?? [];
  const key = bare ?? quoted?.replace(/\\(.)/g, '$1');
  if (key !== undefined) return key;
  throw new InvalidRequest(
    `Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} ASCII characters: in quotes, or bare and without ` +
      'spaces, quotes and commas.',
  );
}

/** The header of a replayed response. */
export const REPLAYED = {
  'Idempotency-Replayed': header(
    'Present, with the value `true`, if this is the response to an earlier request with the same `Idempotency-Key`.',
    'true',
  ),
};
