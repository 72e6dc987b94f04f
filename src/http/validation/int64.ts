export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The exact bounds of int64 in a schema. The types of @nestjs/swagger declare numbers only. */
export const INT64_BOUNDS = { minimum: INT64_MIN, maximum: INT64_MAX } as unknown as Record<
  'minimum' | 'maximum',
  number
>;

/** Returns whether a value is a bigint within the bounds of int64. */
export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}
