/** Every `code` an Error body can carry, with the HTTP status it goes out with. */
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
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;
