/** The HTTP statuses of the codes. */
export const STATUS_OF_CODE: Record<string, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};

interface ErrorText {
  meaning: string;
  /** The remedy for a client. */
  remedy: string;
  /** The message of the example, unless the operation has its own. */
  example: string;
}

/** The texts about each error code, in the published document and on the page about errors. */
export const ERROR_TEXTS: Record<string, ErrorText> = {
  invalid_request: {
    meaning: 'The request is invalid. The message describes the error.',
    remedy: 'Correct the request. The same request fails again.',
    example: 'This operation does not support an Idempotency-Key.',
  },
  unauthorized: {
    meaning: 'The API key is missing or not valid.',
    remedy: 'Send `Authorization: Bearer <API_KEY>` with an active key.',
    example: 'The API key is not valid.',
  },
  forbidden: {
    meaning: 'The operation is disabled, or the key lacks a permission. The message contains the reason.',
    remedy: 'Ask the operator, or the contact in the message.',
    example: 'The operator of this service creates the accounts. Ask support@example.com for one.',
  },
  not_found: {
    meaning: 'The path, or the object with this id, does not exist.',
    remedy: 'Check the path and the id.',
    example: 'This path does not exist.',
  },
  method_not_allowed: {
    meaning: 'The path does not support the method. The `Allow` header lists the supported methods.',
    remedy: 'Use one of the methods in `Allow`.',
    example: 'This path supports GET, HEAD, POST.',
  },
  conflict: {
    meaning:
      'The request conflicts with the current state, for example with a request in progress that has the same ' +
      'Idempotency-Key. The message contains the reason.',
    remedy:
      'If the response has `Retry-After`, repeat the request after that time. Otherwise, follow the message.',
    example: 'Another request with this Idempotency-Key is in progress.',
  },
  payload_too_large: {
    meaning: 'The body exceeds the limit. The message contains the limit.',
    remedy: 'Send a smaller body.',
    example: 'The body exceeds 262144 bytes.',
  },
  idempotency_mismatch: {
    meaning: 'The Idempotency-Key was used for another request.',
    remedy: 'Use a new Idempotency-Key for each request that is not a repetition.',
    example: 'This Idempotency-Key was used for another request.',
  },
  rate_limited: {
    meaning:
      'The client has exceeded a limit of requests. `Retry-After` contains the number of seconds to wait.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
    example: 'Too many requests. Try again in 42 seconds.',
  },
  internal_error: {
    meaning: 'The service failed. The log contains the error with the `X-Request-Id` of the response.',
    remedy: 'Report it to the operator with the `X-Request-Id`.',
    example: 'The service failed to answer this request.',
  },
  unavailable: {
    meaning: 'The service is temporarily unavailable. `Retry-After` contains the number of seconds to wait.',
    remedy:
      'Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key` if it changes something.',
    example: 'The service cannot answer at the moment. Try again shortly.',
  },
};
