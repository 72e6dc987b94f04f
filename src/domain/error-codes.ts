/** The published error codes with their HTTP statuses. */
export const STATUS_OF_CODE = {
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
  not_implemented: 501,
  unavailable: 503,
  http_version_not_supported: 505,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;
