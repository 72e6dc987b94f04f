import type { ServiceErrorCode } from '../domain/error-codes.js';

interface ErrorText {
  meaning: string;
  /** What a client does about it. */
  remedy: string;
  /** The message of the example, unless the operation has its own. */
  example: string;
}

/** What the published document and the page about errors say about each error code. */
export const ERROR_TEXTS: Record<ServiceErrorCode, ErrorText> = {
  invalid_request: {
    meaning: 'The request is wrong. The message says which part, and why.',
    remedy: 'Correct the request. The same request fails again.',
    example: 'name is required.',
  },
  unauthorized: {
    meaning: 'The API key is missing or not valid.',
    remedy: 'Send `Authorization: Bearer <API_KEY>` with a key that is in force.',
    example: 'The API key is not valid.',
  },
  forbidden: {
    meaning: 'The service refuses this to everyone, or to you. The message says whom to ask.',
    remedy: 'Ask the person or the address in the message.',
    example: 'Accounts are made by the operator of this service. Ask support@example.com for one.',
  },
  not_found: {
    meaning: 'What was asked for does not exist.',
    remedy: 'Check the path and the id. With a correct path, the object does not exist.',
    example: 'There is nothing at this path.',
  },
  method_not_allowed: {
    meaning: 'The path does not support the method. The `Allow` header lists those that it supports.',
    remedy: 'Use one of the methods in `Allow`.',
    example: 'This path supports GET, HEAD, POST.',
  },
  conflict: {
    meaning:
      'The request conflicts with the present state, such as a request with the same Idempotency-Key that is in progress. The message says what.',
    remedy:
      'Where the answer has `Retry-After`, repeat the request after that time. Else do what the message says.',
    example: 'Another request with this Idempotency-Key is in progress.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the service accepts. The message contains the limit.',
    remedy: 'Send a smaller body.',
    example: 'The body is larger than 262144 bytes.',
  },
  idempotency_mismatch: {
    meaning: 'The Idempotency-Key was used before, for another request.',
    remedy: 'Use a new Idempotency-Key for each request that is not a repetition.',
    example: 'This Idempotency-Key was used for another request.',
  },
  rate_limited: {
    meaning: 'Too many requests, where the service limits them. Try again after `Retry-After` seconds.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
    example: 'Too many requests. Try again in 42 seconds.',
  },
  not_implemented: {
    meaning: 'The service does not implement the method or the transfer coding of the request.',
    remedy: 'Use another method, or no transfer coding but `chunked`.',
    example: 'The only transfer coding that the service supports is chunked.',
  },
  http_version_not_supported: {
    meaning: 'The request is not in HTTP/1.1 or HTTP/1.0.',
    remedy: 'Use HTTP/1.1.',
    example: 'The service supports HTTP/1.1 and HTTP/1.0.',
  },
  internal_error: {
    meaning: 'The service failed. The fault is logged under the `X-Request-Id` of the answer.',
    remedy: 'Report it to the operator with the `X-Request-Id`.',
    example: 'The service failed to answer this request.',
  },
  unavailable: {
    meaning: 'The service cannot answer at the moment. Try again after `Retry-After` seconds.',
    remedy:
      'Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key` if it changes something.',
    example: 'The service cannot answer at the moment. Try again shortly.',
  },
};
