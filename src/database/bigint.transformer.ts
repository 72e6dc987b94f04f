import type { ValueTransformer } from 'typeorm';

/** Converts a `bigint` column of an entity to a bigint. TypeORM alone returns strings. */
export const bigintTransformer: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : BigInt(value)),
  to: (value: unknown) => value,
};
