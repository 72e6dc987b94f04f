import type { OpenAPIObject } from '@nestjs/swagger';

type Paths = OpenAPIObject['paths'];

export type Operation = NonNullable<Paths[string]['get']>;

/** A response of an operation, which is not a reference. */
export type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const;

/** Returns all operations of the paths, with their paths and methods in lower case. */
export function operationsByPath(paths: Paths): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}
