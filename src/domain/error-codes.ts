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

/** An error code of the service. */
export type ServiceErrorCode = keyof typeof STATUS_OF_CODE;

/**
 * All error codes with their HTTP statuses. Declare additional codes by declaration merging, and set their statuses in
 * `Composition.errorCodes`:
 *
 * ```ts
 * declare module 'petstore' {
 *   interface ErrorCodes {
 *     review_rejected: 422;
 *   }
 * }
 * ```
 */
// Declaration merging requires an interface.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface ErrorCodes extends Readonly<typeof STATUS_OF_CODE> {}

/** The code of an error. */
export type ErrorCode = keyof ErrorCodes;

/** Additional error codes with their HTTP statuses. */
export type OwnErrorCodes = Readonly<Omit<ErrorCodes, ServiceErrorCode>>;

/**
 * Returns the HTTP statuses of all codes.
 *
 * @throws Error when an additional code exists in the service, or its status is not that of an error
 */
export function statusesOf(own: Partial<OwnErrorCodes>): ReadonlyMap<string, number> {
  const entries = Object.entries<number>({ ...own });
  for (const [code, status] of entries) {
    if (code in STATUS_OF_CODE)
      throw new Error(`composition.errorCodes names ${code}, a code of the service.`);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new Error(`composition.errorCodes gives ${code} the status ${status}, not one from 400 to 599.`);
    }
  }
  return new Map([...Object.entries<number>(STATUS_OF_CODE), ...entries]);
}
