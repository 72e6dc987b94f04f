import fc from 'fast-check';

export const INT64_MIN = -9223372036854775808n;
export const INT64_MAX = 9223372036854775807n;

/** Any 64-bit integer, often the bounds. */
export const int64 = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }) },
  { weight: 1, arbitrary: fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n) },
);

/** Any Unicode text that the service can store. */
export const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
