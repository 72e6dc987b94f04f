import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';

import { DomainError } from '../domain/domain-error.js';
import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ErrorBody } from '../http/error.dto.js';

/** The metadata key of the error codes of an operation. */
export const API_ERRORS = Symbol('fails');

/**
 * Documents the errors of an operation, beside those of every operation: a wrong request or key, a limit, a fault, an
 * unavailable service.
 *
 * @param errors codes, or errors of the operation, whose messages become the examples
 */
export function ApiErrors(...errors: (ErrorCode | DomainError)[]): MethodDecorator {
  return ApiPublicErrors('unauthorized', ...errors);
}

/** Documents the errors of an operation that requires no key, like `ApiErrors`. */
export function ApiPublicErrors(...errors: (ErrorCode | DomainError)[]): MethodDecorator {
  const all: (ErrorCode | DomainError)[] = [
    'invalid_request',
    'rate_limited',
    ...errors,
    'internal_error',
    'not_implemented',
    'unavailable',
    'http_version_not_supported',
  ];
  const codes = new Set(all.map((error) => (error instanceof DomainError ? error.code : error)));
  return applyDecorators(SetMetadata(API_ERRORS, [...codes]), ...all.map((error) => ApiError(error)));
}

/** Documents an error of an operation, with its headers in addition to those of all operations. */
export function ApiError(
  error: ErrorCode | DomainError,
  headers: NonNullable<ApiResponseNoStatusOptions['headers']> = {},
): MethodDecorator {
  if (!(error instanceof DomainError)) {
    return ApiResponse({ status: STATUS_OF_CODE[error], type: ErrorBody, headers });
  }
  const { code, message, status } = error;
  return ApiResponse({ status, type: ErrorBody, example: { code, message, status }, headers });
}
