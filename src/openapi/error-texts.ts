import type { ErrorCode } from '../domain/error-codes.js';

/** What the published document says about each error code. */
export const ERROR_TEXTS: Record<ErrorCode, { meaning: string; example: string }> = {
  invalid_request: {
    meaning: 'The request is wrong. The message says which part, and why.',
    example: 'name must be a string of Unicode text without U+0000 and lone surrogates.',
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
    example: 'There is no animal with the id 42.',
  },
  method_not_allowed: {
    meaning: 'The path does not take the method. The `Allow` header lists those it takes.',
    example: 'This path takes GET, HEAD, POST.',
  },
  conflict: {
    meaning:
      'The request conflicts with another one that is still running, or with what exists. The message says which.',
    example: 'A request with this Idempotency-Key is still running.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the service takes, which the message tells.',
    example: 'The body is larger than 1048576 bytes.',
  },
  idempotency_mismatch: {
    meaning: 'The Idempotency-Key was used before, for another request.',
    example: 'This Idempotency-Key was used for another request.',
  },
  rate_limited: {
    meaning: 'Too many requests, where the service limits them. Try again after `Retry-After` seconds.',
    example: 'Too many requests. Try again in 42 seconds.',
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
