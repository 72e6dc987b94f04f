import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ErrorBody } from '../http/error.dto.js';

/** Metadata of a handler: the codes of its errors. */
export const API_ERRORS = Symbol('fails');

/** What an operation can fail with, beside what any operation can: a wrong key, a limit, a fault, a service that is away. */
export function ApiErrors(...codes: ErrorCode[]): MethodDecorator {
  return ApiPublicErrors('unauthorized', ...codes);
}

/** What an operation that is open to everyone can fail with, beside a limit, a fault and a service that is away. */
export function ApiPublicErrors(...codes: ErrorCode[]): MethodDecorator {
  const all: ErrorCode[] = [
    'rate_limited',
    ...codes,
    'internal_error',
    'not_implemented',
    'unavailable',
    'http_version_not_supported',
  ];
  return applyDecorators(
    SetMetadata(API_ERRORS, all),
    ...all.map((code) => ApiResponse({ status: STATUS_OF_CODE[code], type: ErrorBody })),
  );
}
