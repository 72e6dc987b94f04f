import type { ErrorCode } from '../domain/error-codes.js';

/** What the published document says about each error code. */
export const ERROR_TEXTS: Record<ErrorCode, { meaning: string; example: string }> = {
  invalid_request: {
    meaning: 'The request is wrong. The message says which part, and why.',
    example: 'name is required.',
  },
  unauthorized: {
    meaning: 'The API key is missing or not valid.',
    example: 'The API key is not valid.',
  },
  forbidden: {
    meaning: 'The service refuses this to everyone, or to you. The message says whom to ask.',
    example: 'Accounts are made by the operator of this service. Ask support@example.com for one.',
  },
  not_found: {
    meaning: 'What was asked for does not exist.',
    example: 'There is nothing at this path.',
  },
  method_not_allowed: {
    meaning: 'The path does not support the method. The `Allow` header lists those that it supports.',
    example: 'This path supports GET, HEAD, POST.',
  },
  conflict: {
    meaning:
      'The request conflicts with the present state, such as a request with the same Idempotency-Key that is in progress. The message says what.',
    example: 'Another request with this Idempotency-Key is in progress.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the service accepts. The message contains the limit.',
    example: 'The body is larger than 262144 bytes.',
  },
  idempotency_mismatch: {
    meaning: 'The Idempotency-Key was used before, for another request.',
    example: 'This Idempotency-Key was used for another request.',
  },
  rate_limited: {
    meaning: 'Too many requests, where the service limits them. Try again after `Retry-After` seconds.',
    example: 'Too many requests. Try again in 42 seconds.',
  },
  not_implemented: {
    meaning: 'The service does not implement the method or the transfer coding of the request.',
    example: 'The only transfer coding that the service supports is chunked.',
  },
  http_version_not_supported: {
    meaning: 'The request is not in HTTP/1.1 or HTTP/1.0.',
    example: 'The service supports HTTP/1.1 and HTTP/1.0.',
  },
  internal_error: {
    meaning: 'The service failed. The fault is logged under the `X-Request-Id` of the answer.',
    example: 'The service failed to answer this request.',
  },
  unavailable: {
    meaning: 'The service cannot answer at the moment. Try again after `Retry-After` seconds.',
    example: 'The service cannot answer at the moment. Try again shortly.',
  },
};
