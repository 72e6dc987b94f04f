import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';

import { DomainError } from '../../domain/domain-error.js';
import { type ErrorCode, type ServiceErrorCode, STATUS_OF_CODE } from '../../domain/error-codes.js';
import { ErrorBody } from '../../http/errors/error.dto.js';

/** The metadata key of the error codes of an operation. */
export const API_ERRORS = Symbol('ApiErrors');

/** The property of an operation that lists its errors with additional codes. It is not published. */
export const OWN_ERRORS = 'x-own-errors';

/** An error with an additional code. */
export interface OwnError {
  readonly code: string;
  readonly message: string;
}

/**
 * Documents the errors of an operation. Adds those of every operation: an invalid request or key, an exceeded rate
 * limit, an internal error, and an unavailable service.
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
  const own = all.filter((error) => !(codeOf(error) in STATUS_OF_CODE));
  return applyDecorators(
    SetMetadata(API_ERRORS, [...new Set(all.map(codeOf))]),
    ...all.filter((error) => !own.includes(error)).map((error) => ApiError(error)),
    ...(own.length > 0 ? [ApiExtension(OWN_ERRORS, own.map(toOwnError))] : []),
  );
}

function codeOf(error: ErrorCode | DomainError): ErrorCode {
  return error instanceof DomainError ? error.code : error;
}

function toOwnError(error: ErrorCode | DomainError): OwnError {
  return { code: codeOf(error), message: error instanceof DomainError ? error.message : '' };
}

/** Documents an error of the service, and its headers in addition to those of every operation. */
export function ApiError(
  error: ErrorCode | DomainError,
  headers: NonNullable<ApiResponseNoStatusOptions['headers']> = {},
): MethodDecorator {
  const code = codeOf(error);
  const status = STATUS_OF_CODE[code as ServiceErrorCode];
  if (!(error instanceof DomainError)) return ApiResponse({ status, type: ErrorBody, headers });
  const { message } = error;
  return ApiResponse({ status, type: ErrorBody, example: { code, message, status }, headers });
}
