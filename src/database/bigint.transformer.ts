import type { ValueTransformer } from 'typeorm';

/** Makes a property of an entity a bigint. Without it, TypeORM returns the values of a `bigint` column as strings. */
export const bigintTransformer: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : BigInt(value)),
  to: (value: unknown) => value,
};
